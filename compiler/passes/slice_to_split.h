#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Slices of one tensor along one axis that together are the whole of it become one split.
bool StridedSliceDToSplitPass(Graph& graph, PassContext& context);

}  // namespace atc
