// If and Case with a constant operand: only one branch can ever run. While whose condition is false: nothing can.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// Replaces every such node, those in nested graphs too: If and Case by the nodes of the branch that they take, While by the
// values that go in. A required rewrite: shapes are inferred for what runs alone. Descs of the nodes that move are those of the branch; infer again afterwards.
// Returns whether there was one.
bool ResolveConstantConditions(Graph& graph, Journal& journal);

}  // namespace atc
