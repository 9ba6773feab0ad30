// From the attributes and shape of a pooling node to its window and output shape.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ops/window.h"

namespace atc {

struct PoolFit {
  int64_t planes = 0;  // batch * channels; -1 while unknown
  std::vector<WindowAxis> axes;
  Shape shape;
  std::string fault;  // what does not fit; empty when all is well
};

// For AscendIR's poolings (ksize, strides, pads interleaved, padding_mode or padding, dilation, ceil_mode,
// global_pooling, data_format) and the onnx:: ones (kernel_shape, strides, pads as begins and ends,
// auto_pad, dilations, ceil_mode). x is of known rank, in the order
// of data_format, as is the result.
PoolFit FitPool(const Node& node, const Shape& x);

// The same inside an inference function or a kernel: what does not fit ends in Fail.
template <typename Context>
PoolFit PoolOutput(const Context& ctx) {
  PoolFit fit = FitPool(ctx.node(), ctx.InShape(0));
  if (!fit.fault.empty()) ctx.Fail(fit.fault);
  return fit;
}

// x with every spatial axis 1, of pooling over whole planes.
Shape GlobalPoolShape(const Shape& x);
void InferGlobalPool(InferContext& ctx);

}  // namespace atc
