#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A concatenation of one tensor with constants of one value all over is a padding of that tensor.
bool ConcatPadFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
