// Moves a box of elements from one strided layout to another at the speed of memory: transposes, slices, joins, repeats.
#pragma once

#include <cstdint>
#include <vector>

namespace atc::kernels {

// to[p * to_stride + q] = from[q * from_stride + p] for p < ps, q < qs.
void TransposeFloats(const float* from, int64_t from_stride, float* to, int64_t to_stride, int64_t ps, int64_t qs);

class StridedCopy {
 public:
  struct Box {
    std::vector<int64_t> dims;
    std::vector<int64_t> from, to;  // strides in elements; of `from` also 0 and negative ones
    int64_t from_offset = 0, to_offset = 0;
  };
  // `width`: bytes of an element, 1, 2, 4 or 8. No element of the target is written twice.
  StridedCopy(const Box& box, int width);

  void Run(const void* in, void* out, int threads) const;

 private:
  enum class Inner { kRows, kRepeat, kTransposed, kGather };
  struct Axis {
    int64_t dim, from, to;  // strides in bytes
  };
  template <typename T>
  void Move(const std::byte* in, std::byte* out) const;
  void MoveInner(const std::byte* in, std::byte* out) const;

  int width_;
  bool empty_ = false;
  Inner inner_ = Inner::kGather;
  int64_t from_offset_, to_offset_;
  int64_t bytes_ = 0;       // in all
  std::vector<Axis> outer_;  // walked one by one, the last one fastest
  Axis last_{1, 0, 0};       // of the target the densest axis
  Axis across_{1, 0, 0};     // kTransposed: of the source the densest axis
};

}  // namespace atc::kernels
