#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A padding by zeros goes into the pads of the convolution behind it.
bool PaddConv2dFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
