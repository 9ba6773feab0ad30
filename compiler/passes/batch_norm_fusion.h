#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A BatchNorm of running statistics after a convolution, transposed convolution or product by a constant matrix goes into
// filter and bias: filter' = filter * s, bias' = (bias - mean) * s + offset, s = scale / sqrt(variance + epsilon), per
// output channel.
bool ConvBatchnormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
