#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// An Expand, BroadcastTo or Tile of dims of 1 goes away where all that read it broadcast their operands and have results
// of the same shape without it.
bool ExpandRemovePass(Graph& graph, PassContext& context);

}  // namespace atc
