#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// x * sigmoid(scale * x) becomes a Swish.
bool SwishFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
