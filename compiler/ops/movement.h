// Moving elements between tensors of any type, for the reference kernels of operators that compute nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/kernel_context.h"

namespace atc {

// A region of a row-major tensor: where it starts and how far apart its elements are along each axis, in elements.
// Strides may be 0 (an element is repeated) or negative.
struct Region {
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

// Copies `shape` elements from one region to another. Types narrower than a byte work too.
void MoveRegion(const KernelContext& ctx, const Shape& shape, const Tensor& from, const Region& source, Tensor* to,
                const Region& target);

// Makes output `i` of `shape` and fills it from a region of `from`.
void MoveToOutput(KernelContext& ctx, size_t i, const Shape& shape, const Tensor& from, const Region& source);

// While it lives, MoveRegion on this thread moves nothing but is written down here: what a kernel moves is known from
// shapes and parameters alone, so that it can be done again and again by other means. Tensors need no bytes then, apart
// from parameters.
class MovementRecorder {
 public:
  struct Move {
    Shape shape;
    Tensor from;
    Region source;
    const std::byte* to;  // of the target tensor
    Region target;
  };
  MovementRecorder();
  ~MovementRecorder();
  MovementRecorder(const MovementRecorder&) = delete;
  MovementRecorder& operator=(const MovementRecorder&) = delete;

  std::vector<Move> moves;
};

}  // namespace atc
