#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Removes what no output needs, by a walk back from NetOutput.
bool PrunePass(Graph& graph, PassContext& context);

// Removes constants that nothing uses: what fusion leaves behind, also where operators without use are to stay.
bool UnusedConstPass(Graph& graph, PassContext& context);

}  // namespace atc
