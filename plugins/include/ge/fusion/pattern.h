// What to look for: a small graph whose Data nodes stand for any value, Const nodes for any constant, and whose outputs
// are the values that the rest of the graph may use.
#pragma once

#include <memory>
#include <vector>

#include "ge/fusion/subgraph_boundary.h"

namespace ge {
namespace fusion {

class Pattern {
 public:
  explicit Pattern(Graph&& graph) : graph_(std::move(graph)) {}

  const Graph& GetGraph() const { return graph_; }
  // Notes an output of a node of the pattern, so that matches tell what it stands for, in the order of these calls.
  Pattern& CaptureTensor(const NodeIo& output) {
    captured_.push_back(output);
    return *this;
  }
  Status GetCapturedTensors(std::vector<NodeIo>& outputs) const {
    outputs = captured_;
    return SUCCESS;
  }

 private:
  Graph graph_;
  std::vector<NodeIo> captured_;
};

}  // namespace fusion
}  // namespace ge
