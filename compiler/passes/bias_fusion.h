#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// An Add of a constant per output channel after a convolution or matrix product without bias becomes its bias input.
bool BiasaddFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
