#include "parsers/tensorflow/variable_writes.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace atc::tf_parser {
namespace {

bool IsWrite(const SourceNode& node) {
  if (node.inputs.size() < 2) return false;
  const std::string_view op = node.op;
  if (op == "Assign" || op == "AssignAdd" || op == "AssignSub") return true;
  if (op == "AssignVariableOp" || op == "AssignAddVariableOp" || op == "AssignSubVariableOp") return true;
  if (op.starts_with("ResourceScatter")) return true;
  return op.starts_with("Scatter") && op != "ScatterNd" && op != "ScatterNdNonAliasingAdd";
}

bool TakesVariable(const SourceNode& node) {
  if (node.inputs.empty()) return false;
  return IsWrite(node) || node.op == "ReadVariableOp" || node.op == "ResourceGather" || node.op == "ResourceGatherNd" ||
         node.op == "Identity" || node.op == "Gather" || node.op == "GatherNd";
}

class Writes {
 public:
  explicit Writes(SourceGraph& graph) : graph_(graph) {
    for (const SourceNode& node : graph.nodes) first_.push_back(node.inputs.empty() ? Port{} : node.inputs[0]);
  }

  void Run() {
    std::vector<Port> changed = first_;
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!TakesVariable(graph_.nodes[i])) continue;
      const uint32_t last = LastWriteBefore(i);
      if (last != kNoNode) changed[i] = {last, 0};
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!graph_.nodes[i].inputs.empty()) graph_.nodes[i].inputs[0] = changed[i];
    }
  }

 private:
  // The variable that a port stands for.
  Port Variable(Port port) const {
    for (size_t steps = 0; steps < graph_.nodes.size(); ++steps) {
      const SourceNode& node = graph_.nodes[port.node];
      if (node.inputs.empty() || !(node.op == "Identity" || IsWrite(node))) break;
      port = first_[port.node];
    }
    return port;
  }

  // Of the writes to its variable that node i waits for, the one that waits for the others.
  uint32_t LastWriteBefore(uint32_t i) const {
    const Port variable = Variable(first_[i]);
    if (variable.node == kNoNode) return kNoNode;
    std::set<uint32_t> seen, found;
    std::vector<uint32_t> work(graph_.nodes[i].controls);
    while (!work.empty()) {
      const uint32_t node = work.back();
      work.pop_back();
      if (!seen.insert(node).second) continue;
      if (IsWrite(graph_.nodes[node]) && Variable(first_[node]) == variable) {
        found.insert(node);
      } else if (graph_.nodes[node].op == "NoOp") {
        work.insert(work.end(), graph_.nodes[node].controls.begin(), graph_.nodes[node].controls.end());
      }
    }
    for (const uint32_t node : found) {
      const auto& before = graph_.nodes[node].controls;
      const bool last = std::all_of(found.begin(), found.end(), [&](uint32_t other) {
        return other == node || std::find(before.begin(), before.end(), other) != before.end();
      });
      if (last) return node;
    }
    return found.empty() ? kNoNode : *found.rbegin();
  }

  SourceGraph& graph_;
  std::vector<Port> first_;  // inputs 0 as the file has them
};

}  // namespace

void OrderVariableWrites(SourceGraph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), IsWrite);
  if (any) Writes(graph).Run();
}

}  // namespace atc::tf_parser
