#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A normalisation over trailing axes that is spelled out, with or without scale and shift, becomes a LayerNormV3; one
// over axis 1 of channels that lie first becomes one between Transposes.
bool LayerNormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
