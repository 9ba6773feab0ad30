#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// x * tanh(log(1 + exp(x))), with or without a Softplus, becomes a Mish.
bool MishFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
