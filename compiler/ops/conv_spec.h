// From the attributes and shapes of a convolution node to its window and output shape.
#pragma once

#include <string>

#include "compiler/ir/graph.h"
#include "compiler/ops/conv_kernel.h"

namespace atc {

struct ConvOutput {
  ConvSizes sizes;  // dims are -1 while unknown
  Shape shape;
  std::string fault;  // what does not fit; empty when all is well
};

// For Conv2D, Conv3D (attributes of AscendIR: 4 or 5 entries in the order of data_format, `groups`, interleaved pads) and
// the onnx:: operators (spatial entries, `group`, pads as begins and ends). x is [N, C, spatial...], or [N, spatial..., C]
// where data_format says so, as is the result; w [M, C / groups, kernel...]; unknown
// dims are -1, both ranks must be known.
ConvOutput FitConv(const Node& node, const Shape& x, const Shape& w);

// The same inside an inference function or a kernel: what does not fit ends in Fail.
template <typename Context>
ConvOutput ConvOutputShape(const Context& ctx, const Shape& x, const Shape& w) {
  ConvOutput out = FitConv(ctx.node(), x, w);
  if (!out.fault.empty()) ctx.Fail(out.fault);
  return out;
}

}  // namespace atc
