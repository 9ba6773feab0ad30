#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Convolutions and poolings along one axis are two-dimensional ones between Unsqueeze and Squeeze. The Squeeze moves
// behind the elementwise operators, norms and concatenations that follow, which then stand next to what may take them in,
// until it meets the Unsqueeze of the next one and both go.
bool SqueezeSinkPass(Graph& graph, PassContext& context);

}  // namespace atc
