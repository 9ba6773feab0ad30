#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Makes chains of Casts and TransData shorter, to the same numbers:
//   - a Cast of what a Cast only widened (half to float) takes what that one took;
//   - a Cast between two TransData, of which the second leads back to the form before the first, works in that form.
bool TransOpWithoutReshapeFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
