#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Removes what no output needs, by a walk back from NetOutput.
bool PrunePass(Graph& graph, PassContext& context);

}  // namespace atc
