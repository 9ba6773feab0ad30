#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A normalisation over trailing axes that is spelled out, with or without scale and shift, becomes a LayerNormV3.
bool LayerNormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
