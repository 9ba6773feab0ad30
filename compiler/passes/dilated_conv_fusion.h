#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A convolution between SpaceToBatchND and BatchToSpaceND is a dilated one: the blocks become its dilations, paddings less
// crops its padding. What each element goes through behind the convolution, and an axis put in before it and taken out
// again (convolutions of one axis), may lie between.
bool DilatedConvFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
