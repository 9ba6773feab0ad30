#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A Reshape between a convolution, product or elementwise operator and an elementwise one moves behind the latter, which
// may then share the task of what stands before. Constants are reshaped, other whole operands get a Reshape of their own,
// which needs no task.
bool ReshapeSinkPass(Graph& graph, PassContext& context);

}  // namespace atc
