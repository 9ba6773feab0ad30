#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A Transpose between two Reshape that only permutes the channels of N, C, H, W becomes one Transpose that owns the three,
// so that data with blocked channels need not leave their layout for it.
bool ReshapeTransposeFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
