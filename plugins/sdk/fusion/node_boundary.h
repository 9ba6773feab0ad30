// One node as a part of its graph.
#pragma once

#include "ge/fusion/subgraph_boundary.h"

namespace ge {
namespace fusion {

// Inputs: the values that the node takes, each once, in the order in which it takes them. Outputs: all of the node's.
SubgraphBoundary BoundaryOf(const GNode& node);

}  // namespace fusion
}  // namespace ge
