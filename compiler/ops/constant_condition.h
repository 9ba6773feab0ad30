// If and Case with a constant operand: only one branch can ever run. While and Loop whose condition is false or whose trip
// count is 0: nothing can.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// Replaces every such node, those in nested graphs too: If and Case by the nodes of the branch that they take, While and Loop
// by the values that go in; what a Loop would have collected by constants without elements: optional rewrites. Descs of the nodes that move are those of the branch; infer again afterwards.
// Returns whether there was one.
bool ResolveConstantConditions(Graph& graph, Journal& journal);

}  // namespace atc
