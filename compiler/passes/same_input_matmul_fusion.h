#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Products of one input with several constant matrices, whose results are queries, keys and values of one attention, become
// one product with all of them beside each other and a split, out of which the attention reads.
bool SameInputMatMulFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
