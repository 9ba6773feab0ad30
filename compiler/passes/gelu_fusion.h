#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// The GELU that is spelled out, by the error function or by the tanh that is near it, becomes a GeluV2 or a Gelu.
bool GeluFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
