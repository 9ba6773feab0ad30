#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Of Casts, and of TransData, that bring one value into the same type and form, the first serves all who read them.
// Those of other stream labels, or with control edges, stay.
bool TransOpBreadthFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
