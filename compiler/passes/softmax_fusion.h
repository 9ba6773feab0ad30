#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// exp(x) over its sum, with the maximum taken off x before or not, becomes a SoftmaxV2. Where a sum overflows, or all
// exponentials vanish, the spelled out form has NaN and a softmax the numbers that are meant; all others are the same.
bool SoftmaxFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
