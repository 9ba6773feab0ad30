// What nested graphs capture and no longer use.
#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Takes a captured input away from nodes with nested graphs when none of the graphs uses it.
bool UnusedArgsCleanPass(Graph& graph, PassContext& context);

}  // namespace atc
