// Small graphs with stated engines for tests of the stream passes.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/stream_label.h"
#include "compiler/streams/logical_streams.h"
#include "compiler/streams/stream_passes.h"

namespace atc::test {

inline constexpr const char* kCore = "AIcoreEngine";
inline constexpr const char* kVector = "VectorEngine";
inline constexpr const char* kCpu = "DNN_VM_AICPU_ASCEND";
inline constexpr const char* kHccl = "DNN_HCCL";
inline constexpr const char* kLocal = "DNN_VM_GE_LOCAL";

using Ids = std::map<std::string, int32_t>;

struct StreamGraph {
  Graph graph{"g"};
  ValueId data = graph.AddData("data", 0, TensorDesc(DT_FLOAT, {4}));
  StreamOptions options;
  int32_t count = 0;

  // An operation that is a task on `engine`.
  ValueId Op(const std::string& name, std::vector<ValueId> inputs, const char* engine, const std::string& label = "") {
    Node& node = graph.Add("FusedElementwise", name, std::move(inputs), 1);
    node.engine = engine;
    if (!label.empty()) node.attrs.Set(kUserStreamLabel, label);
    graph.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, {4});
    return node.outputs[0];
  }
  Node& node(const std::string& name) { return *graph.Find(name); }
  void Output(std::vector<ValueId> values) { graph.Add("NetOutput", "Node_Output", std::move(values), 0); }
  // Streams of all nodes that have one.
  Ids Assign() {
    PlaceOnEngines(graph);
    count = AssignLogicalStreams(graph, options);
    Ids ids;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      if (graph.node(id).stream >= 0) ids[graph.node(id).name] = graph.node(id).stream;
    }
    return ids;
  }
  // The rule that set the stream of a node last.
  std::string Rule(const std::string& name) {
    std::string rule;
    for (const Reason& reason : node(name).reasons) {
      if (reason.aspect == "stream") rule = reason.rule;
    }
    return rule;
  }
};

}  // namespace atc::test
