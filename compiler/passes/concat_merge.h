#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A concatenation that serves another along the same axis alone gives its operands to that one.
bool ConcatMergePass(Graph& graph, PassContext& context);

}  // namespace atc
