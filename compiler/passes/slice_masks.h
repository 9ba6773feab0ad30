#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A StridedSlice whose numbers are constant becomes a StridedSliceV2 of plain ranges and, where its masks take axes away
// or put some in, a Reshape behind it: what passes over slices look for.
bool StridedSliceMasksPass(Graph& graph, PassContext& context);

}  // namespace atc
