#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Rotary position embeddings become one RotaryPositionEmbedding: x * cos + turned(x) * sin, or the sums of products of both
// parts of x joined again; parts are the halves of a row or its even and odd elements.
bool RotaryFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
