#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A normalisation over all that is behind batch and channels that is spelled out becomes an InstanceNorm, and an
// InstanceNorm without parameters takes in the scale and shift for each channel that follow it.
bool InstanceNormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
