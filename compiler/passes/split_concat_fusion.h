#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A split and a concatenation along the same axis undo each other: the parts of a split put together in order are its
// input, also where the same elementwise operator has each part, which then has the whole; and the parts of a
// concatenation, cut where its operands meet, are these.
bool SplitConcatFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
