#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// What may stand in one fused operator: at most this many nodes, so that its registers and its message stay small.
inline constexpr size_t kMaxFusedNodes = 32;

// Whether `node` can run inside a fused operator whose results are like `like`: elementwise, one output, every tensor of
// the same float type.
bool CanFuseElementwise(const Graph& graph, const Node& node, const TensorDesc& like);

// A heavy operator (convolution, matrix product) takes in the float elementwise operators that follow it, as long as
// one value leaves the group; it keeps its type and owns the graph it stands for.
bool HeavyElementwiseFusionPass(Graph& graph, PassContext& context);

// Chains of float elementwise operators of one shape become one FusedElementwise.
bool ElementwiseChainFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
