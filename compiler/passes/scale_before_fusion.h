#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A BatchNorm of running statistics, or a product, quotient, sum or difference with a constant that goes by channels,
// before a convolution or matrix product by a constant, goes into its filter and bias. All that read it must take it in. A
// summand does where nothing is padded.
bool ScaleConvFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
