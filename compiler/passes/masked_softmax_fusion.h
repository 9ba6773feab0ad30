#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A softmax over the last axis takes in the factor, the mask that is added and the selection by a mask before it, as one
// FusedSoftmax that owns them.
bool MaskedSoftmaxFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
