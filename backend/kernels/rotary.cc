// RotaryPositionEmbedding: each row of x turned by the angles of its place.
#include <algorithm>
#include <vector>

#include "backend/kernels/for_team.h"
#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"
#include "compiler/ops/strided_view.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/rotary.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Halves of a row of 2 * half elements.
void TurnHalves(float* y, const float* x, const float* c, const float* s, int64_t half) {
  ForVectors(half, [&](auto d, int64_t i) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + half + i);
    hn::StoreU(hn::NegMulAdd(b, hn::LoadU(d, s + i), hn::Mul(a, hn::LoadU(d, c + i))), d, y + i);
    hn::StoreU(hn::MulAdd(a, hn::LoadU(d, s + half + i), hn::Mul(b, hn::LoadU(d, c + half + i))), d, y + half + i);
  });
}

// Neighbours.
void TurnPairs(float* y, const float* x, const float* c, const float* s, int64_t half) {
  const hn::ScalableTag<float> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= half; i += step) {
    auto a = hn::Zero(d), b = a, c0 = a, c1 = a, s0 = a, s1 = a;
    hn::LoadInterleaved2(d, x + 2 * i, a, b);
    hn::LoadInterleaved2(d, c + 2 * i, c0, c1);
    hn::LoadInterleaved2(d, s + 2 * i, s0, s1);
    hn::StoreInterleaved2(hn::NegMulAdd(b, s0, hn::Mul(a, c0)), hn::MulAdd(a, s1, hn::Mul(b, c1)), d, y + 2 * i);
  }
  for (; i < half; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a * c[2 * i] - b * s[2 * i];
    y[2 * i + 1] = b * c[2 * i + 1] + a * s[2 * i + 1];
  }
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(TurnHalves);
HWY_EXPORT(TurnPairs);

namespace {

// Below so many elements a team costs more than it gains.
constexpr int64_t kTeamElements = 16 * 1024;

// Where the angles of each row begin.
struct Angles {
  int port = 0;
  DataType dtype = DT_FLOAT;
  std::vector<int64_t> offsets;
};

class RotaryKernel : public Kernel {
 public:
  RotaryKernel(const KernelSpec& spec, Angles cosine, Angles sine)
      : cosine_(std::move(cosine)), sine_(std::move(sine)), dtype_(spec.inputs[0].dtype), threads_(spec.threads) {
    const Shape& shape = spec.inputs[0].shape;
    size_ = shape[shape.rank() - 1];
    pairs_ = spec.node.Attr<int64_t>("mode") == 1;
    padded_ = (static_cast<size_t>(size_) + 15) / 16 * 16;
  }

  // For each member of the team a row of x, of the result and of both kinds of angles.
  size_t scratch_bytes() const override { return static_cast<size_t>(threads_) * 4 * padded_ * sizeof(float); }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override {
    const auto count = static_cast<int64_t>(cosine_.offsets.size()), share = (count + threads_ - 1) / threads_;
    const auto width = static_cast<int64_t>(TileElementBytes(dtype_));
    ForTeam(count * size_ >= kTeamElements ? threads_ : 1, threads_, [&](int member) {
      float* own = reinterpret_cast<float*>(scratch) + static_cast<size_t>(member) * 4 * padded_;
      for (int64_t r = member * share; r < std::min(count, (member + 1) * share); ++r) {
        const auto at = static_cast<size_t>(r);
        const float* x = Row(inputs[0], dtype_, r * size_, own);
        const float* c = Row(inputs[cosine_.port], cosine_.dtype, cosine_.offsets[at], own + padded_);
        const float* s = Row(inputs[sine_.port], sine_.dtype, sine_.offsets[at], own + 2 * padded_);
        auto* to = static_cast<std::byte*>(outputs[0]) + r * size_ * width;
        float* y = dtype_ == DT_FLOAT ? reinterpret_cast<float*>(to) : own + 3 * padded_;
        if (pairs_) {
          HWY_DYNAMIC_DISPATCH(TurnPairs)(y, x, c, s, size_ / 2);
        } else {
          HWY_DYNAMIC_DISPATCH(TurnHalves)(y, x, c, s, size_ / 2);
        }
        if (dtype_ != DT_FLOAT) NarrowTo(to, dtype_, y, static_cast<size_t>(size_));
      }
    });
  }

 private:
  const float* Row(const void* data, DataType dtype, int64_t offset, float* wide) const {
    const auto* from = static_cast<const std::byte*>(data) + offset * static_cast<int64_t>(TileElementBytes(dtype));
    if (dtype == DT_FLOAT) return reinterpret_cast<const float*>(from);
    WidenTo(wide, from, dtype, static_cast<size_t>(size_));
    return wide;
  }

  Angles cosine_, sine_;
  DataType dtype_;
  int threads_;
  int64_t size_ = 0;
  bool pairs_ = false;
  size_t padded_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> MakeRotary(const KernelSpec& spec) {
  if (!(spec.node.type() == "RotaryPositionEmbedding") || spec.node.fused || spec.inputs.size() != 3) return nullptr;
  const Port& x = spec.inputs[0];
  const Shape& shape = x.shape;
  const int64_t mode = spec.node.Attr<int64_t>("mode");
  if (!(x.dtype == DT_FLOAT || IsHalf(x.dtype)) || spec.outputs[0].dtype != x.dtype || (mode != 0 && mode != 1)) return nullptr;
  if (!(shape == spec.outputs[0].shape) || shape.rank() == 0 || shape.NumElements() == 0 || shape[shape.rank() - 1] % 2 != 0) return nullptr;
  if (x.channels_last || spec.outputs[0].channels_last) return nullptr;
  Angles angles[2];
  for (int i = 0; i < 2; ++i) {
    const Port& port = spec.inputs[static_cast<size_t>(i) + 1];
    StridedView view = StridedView::Of(port.shape);
    if (!(port.dtype == DT_FLOAT || IsHalf(port.dtype)) || port.channels_last || !view.Broadcast(shape.dims())) return nullptr;
    if (view.Stride(view.rank() - 1) != 1) return nullptr;
    angles[i] = {i + 1, port.dtype, view.Offsets(0, view.rank() - 1)};
  }
  return std::make_unique<RotaryKernel>(spec, std::move(angles[0]), std::move(angles[1]));
}

}  // namespace atc::kernels
#endif
