#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A slice of a slice is one slice, and a slice that lies within one operand of a concatenation is a slice of that.
bool StridedSliceMergePass(Graph& graph, PassContext& context);

}  // namespace atc
