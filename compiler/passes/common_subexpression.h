#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Merges nodes of equal type, inputs and attributes; constants of equal bytes among them. Stateful operators and owners
// of graphs are left alone.
bool CommonSubexpressionEliminationPass(Graph& graph, PassContext& context);

}  // namespace atc
