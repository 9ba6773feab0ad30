#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// x times a HardSigmoid or a clipped x / 6 + 1 / 2, in any scale, becomes a HardSwish.
bool HardSwishFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
