#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A BatchNorm of running statistics that no convolution takes in, beside elementwise operators, becomes a Mul and an Add
// of constants, which share a task with those.
bool HostBNFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
