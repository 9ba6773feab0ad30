#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Takes away what undoes the node before it: a TransData back into the form that it came from, a Cast back to a type of
// which all values survived (half, float, half). A Cast that rounded on the way stays.
bool TransOpSymmetryEliminationPass(Graph& graph, PassContext& context);

}  // namespace atc
