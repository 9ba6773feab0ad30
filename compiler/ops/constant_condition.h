// If with a constant condition: only one branch can ever run.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// Replaces every such If, those in nested graphs too, by the nodes of the branch that it takes. A required rewrite: shapes
// are inferred for that branch alone. Descs of the nodes that move are those of the branch; infer again afterwards.
// Returns whether there was one.
bool ResolveConstantConditions(Graph& graph, Journal& journal);

}  // namespace atc
