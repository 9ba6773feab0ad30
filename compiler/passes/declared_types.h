// Operators of AscendIR that user passes put into a graph and that this compiler runs in another form.
#pragma once

#include <string>

#include "compiler/passes/pass.h"

namespace atc {

// Rewrites nodes whose type has no definition of the compiler's own (a pass may only declare it): other names of what the
// compiler runs (MatMul, BatchMatMulV3, Conv2DV2, ...), BiasAdd, the forms of Concat. Shapes are
// inferred where the inputs are described. Required rewrites. Nested graphs are looked into.
// Returns the number of nodes that were rewritten.
int LowerDeclaredTypes(Graph& graph, Journal& journal);

// Infers what late passes have left undescribed, nodes being typed already: every other desc stays as it is.
// Throws Error naming the node whose shapes do not fit.
void InferUndescribed(Graph& graph);

// The first node, of nested graphs too, whose type the compiler does not run; null where there is none.
const Node* FindDeclaredType(const Graph& graph);

}  // namespace atc
