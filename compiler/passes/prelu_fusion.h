#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A PRelu beside what takes elementwise operators in becomes the elementwise one, whose slopes are broadcast as NumPy
// does: the channels of a constant weight get dims of 1 behind them.
bool PReluFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
