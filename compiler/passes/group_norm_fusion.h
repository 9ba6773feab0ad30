#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// An InstanceNorm, or LayerNormV3 from the third axis on, without parameters of x reshaped to its groups, reshaped
// back, with or without a scale and shift for each channel, becomes a GroupNormV2: how group norms are exported.
bool GroupNormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
