#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A padding goes into the pads of the pooling behind it. The padding of a max pooling counts as minus infinity: it is so
// itself, or holds zeros around what is never negative, where every window covers some of that.
bool PaddMaxPoolFusionPass(Graph& graph, PassContext& context);

// Of an average pooling the padding must hold zeros, which then count among the elements of a window; a pooling that
// leaves out the padding of its own takes in no other.
bool PaddAvgPoolFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
