// Random graphs for tests of plans and streams: elementwise nodes over one shape, with stated streams.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc::test {

// Between 1 and 3 inputs a node among those before it; `streams` streams chosen at random; all values of `bytes` bytes
// times a factor of 1 to 8.
inline std::unique_ptr<Graph> RandomGraph(uint32_t seed, int nodes, int streams) {
  std::mt19937 random(seed);
  auto graph = std::make_unique<Graph>("random");
  std::vector<ValueId> values;
  const auto shape = [&] { return Shape{static_cast<int64_t>(64 * (1 + random() % 8))}; };
  values.push_back(graph->AddData("data", 0, TensorDesc(DT_FLOAT, shape())));
  for (int i = 0; i < nodes; ++i) {
    std::vector<ValueId> inputs;
    for (uint32_t k = 0; k < 1 + random() % 3; ++k) inputs.push_back(values[random() % values.size()]);
    // Takes any number of inputs and aliases none.
    Node& node = graph->Add("FusedElementwise", "node" + std::to_string(i), inputs, 1);
    graph->desc(node.outputs[0]) = TensorDesc(DT_FLOAT, shape());
    node.stream = static_cast<int32_t>(random() % streams);
    node.engine = "AIcoreEngine";
    values.push_back(node.outputs[0]);
  }
  graph->Add("NetOutput", "Node_Output", {values.back()}, 0);
  return graph;
}

}  // namespace atc::test
