#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Merges nodes of equal type, inputs and attributes. Stateful operators and owners of graphs are left alone.
bool CommonSubexpressionEliminationPass(Graph& graph, PassContext& context);

// Merges constants of equal type, shape and bytes.
bool ConstantFuseSamePass(Graph& graph, PassContext& context);

}  // namespace atc
