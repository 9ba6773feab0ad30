#pragma once

#include <cstddef>

#include "compiler/passes/pass.h"

namespace atc {

// The part of SpaceToDepthFusionPass for images of unknown height or width, whose channels `concat` joins along `axis`: its
// inputs are slices, or slices of slices, that take every n-th row and column to the end, of each place one. An image
// whose sizes are no multiples of n fits neither form.
bool FuseOpenSpaceToDepth(Graph& graph, PassContext& context, Node& concat, size_t axis);

}  // namespace atc
