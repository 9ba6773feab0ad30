#include "compiler/passes/trans_op.h"

#include <algorithm>

#include "compiler/ir/user_dtype.h"

namespace atc {
namespace {

bool IsFree(const Node& node) {
  return node.control_in.empty() && node.control_out.empty() && node.subgraphs.empty() && !node.fused &&
         node.inputs.size() == 1 && node.inputs[0] != kNoId && !HasUserDtype(node);
}

template <typename Is>
std::vector<NodeId> Those(const Graph& graph, Is is) {
  std::vector<NodeId> found;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (graph.node(id).alive && is(graph.node(id))) found.push_back(id);
  }
  return found;
}

}  // namespace

bool IsFreeCast(const Node& node) { return node.type() == "Cast" && IsFree(node); }
bool IsFreeTransData(const Node& node) { return node.type() == "TransData" && IsFree(node); }

std::vector<NodeId> FreeCasts(const Graph& graph) { return Those(graph, IsFreeCast); }
std::vector<NodeId> FreeTransOps(const Graph& graph) {
  return Those(graph, [](const Node& node) { return IsFreeCast(node) || IsFreeTransData(node); });
}

bool JoinsInterface(const Graph& graph, ValueId source, ValueId result) {
  if (!graph.producer(source).Is(kSource)) return false;
  const std::vector<Use>& uses = graph.value(result).uses;
  return std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return graph.node(use.node).type() == "NetOutput"; });
}

bool WidensExactly(DataType from, DataType to) {
  return (IsHalf(from) && to == DT_FLOAT) || (from == DT_FLOAT && to == DT_DOUBLE);
}

void RemoveUnread(Graph& graph, NodeId node) {
  if (graph.value(graph.node(node).outputs[0]).uses.empty()) graph.Remove(node);
}

}  // namespace atc
