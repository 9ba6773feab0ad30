// What stands behind ge::fusion::MatchResult, and what the fusion sources share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ge/fusion/match_result.h"
#include "plugins/sdk/handles.h"

namespace ge {
namespace fusion {

class MatchResultImpl {
 public:
  const Pattern* pattern = nullptr;
  std::map<std::string, GNode> nodes;    // by name of the pattern's node
  std::map<std::string, NodeIo> inputs;  // by name of the pattern's Data: an output of the graph
};

// The uses of a value by node and input, since a graph keeps them in no particular order.
std::vector<atc::Use> UsesInOrder(const atc::Graph& graph, atc::ValueId value);

// Whether a path leads from one of the nodes over others to one of them: as one node they would be a cycle. `found`
// becomes two names, of an outside node on the path and of the node that it leads to.
bool WouldBeCycle(const atc::Graph& graph, const std::vector<atc::NodeId>& nodes, std::pair<std::string, std::string>* found);

}  // namespace fusion
}  // namespace ge
