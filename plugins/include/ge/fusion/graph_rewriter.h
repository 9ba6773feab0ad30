// Replaces a part of a graph by another graph.
#pragma once

#include "ge/fusion/subgraph_boundary.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {

class SubgraphRewriter {
 public:
  // The nodes between the boundary's inputs and outputs go; a copy of the replacement takes their place, its Data nodes
  // giving way to the values at the inputs, by their index, and its outputs to those at the outputs. New nodes carry the
  // origins and the stream label of those that go. Fails, the graph being as it was, where the boundary is not closed,
  // counts do not agree, or a cycle would come about.
  static Status Replace(const SubgraphBoundary& boundary, const Graph& replacement);
  static Status Replace(const SubgraphBoundary& boundary, Graph&& replacement);
  // Refuses what GraphFuseInspectorUtils::CanFuse does, too.
  static Status Replace(const SubgraphBoundary& boundary, const Graph& replacement, CustomPassContext& context);
  static Status Replace(const SubgraphBoundary& boundary, Graph&& replacement, CustomPassContext& context);
};

}  // namespace fusion
}  // namespace ge
