#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// x over the root of its mean square along trailing axes, with or without a scale, becomes a RmsNorm.
bool RmsNormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
