#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A normalisation that is spelled out over all between batch and channels, where channels are last, becomes an
// InstanceNorm between two Transposes; over channels in groups as well, between two Reshapes, a GroupNormV2. The scale and
// shift for each channel are theirs.
bool ChannelsLastNormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
