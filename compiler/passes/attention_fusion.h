#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// softmax(q k^T, scaled and masked) v becomes one FusedAttention that owns all of it, and reads queries, keys and values
// where they lie: reshapes, transposes, slices and repeats of them are part of it, and the transpose of the result.
bool AttentionFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
