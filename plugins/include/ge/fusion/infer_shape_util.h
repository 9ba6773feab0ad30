// Shapes and types of a replacement before it is one.
#pragma once

#include "ge/fusion/match_result.h"
#include "ge/fusion/subgraph_boundary.h"

namespace ge {
namespace fusion {

class InferShapeUtil {
 public:
  // Describes every output of the replacement, its Data nodes being described, and known by value where they are
  // constant, as the values at the boundary's inputs. Fails where counts or shapes do not fit.
  static Status InferShape(const Graph& replacement, const SubgraphBoundary& boundary);
  static Status InferShape(const Graph& replacement, const MatchResult& match);
  // The inputs of one node, in order, each value once.
  static Status InferShape(const Graph& replacement, const GNode& node);
};

}  // namespace fusion
}  // namespace ge
