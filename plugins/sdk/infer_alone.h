// Shape inference of one node, for operators that a pass describes and for nodes that it adds late.
#pragma once

#include "compiler/ir/graph.h"

namespace ge {

// Describes the node's outputs from the descs of its inputs, constants being known by value. False where the type has no
// inference, or the shapes do not fit.
bool InferAlone(atc::Graph& graph, atc::Node& node);

// The same for every node of the graph with an undescribed output that is used, in topological order.
void InferUndescribed(atc::Graph& graph);

}  // namespace ge
