#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A concatenation of all the slices of one tensor that take every n-th element along some axes (YOLO's focus, Swin's patch
// merging) becomes one Transpose between two Reshapes, which need no task. Of images whose height
// or width is unknown it becomes SpaceToDepth, and a GatherV2 where the channels come in another order than its own.
bool SpaceToDepthFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
