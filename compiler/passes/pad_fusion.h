#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Two paddings by one value, one behind the other, become one.
bool PadFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
