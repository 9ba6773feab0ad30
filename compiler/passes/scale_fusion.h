#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A product, quotient, sum or difference with a constant, one value for all or one a channel, after a convolution,
// transposed convolution or product by a constant matrix goes into filter and bias.
bool ConvScaleFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
