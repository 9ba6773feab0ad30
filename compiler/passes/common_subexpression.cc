#include "compiler/passes/common_subexpression.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace atc {
namespace {

// Cheap and equal for equal nodes; equality itself is checked afterwards.
std::string Key(const Node& node) {
  std::string key = node.type().str();
  for (const ValueId input : node.inputs) key += "," + std::to_string(input);
  key += "|" + std::to_string(node.outputs.size());
  for (const auto& [name, value] : node.attrs) {
    if (const Tensor* tensor = std::get_if<Tensor>(&value)) {
      key += ToString(value);
      // A few bytes tell most constants apart without reading them all.
      if (!tensor->deferred() && tensor->dtype() != DT_STRING && tensor->dtype() != DT_VARIANT) {
        const size_t bytes = std::min<size_t>(tensor->NumBytes(), 32);
        key.append(reinterpret_cast<const char*>(tensor->Data()), bytes);
      }
    } else {
      key += name.str() + "=" + ToString(value);
    }
  }
  return key;
}

bool Same(const Graph& graph, const Node& a, const Node& b) {
  if (a.def != b.def || a.inputs != b.inputs || a.control_in != b.control_in || !Equal(a.attrs, b.attrs)) return false;
  if (a.outputs.size() != b.outputs.size()) return false;
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    const TensorDesc& x = graph.desc(a.outputs[i]);
    const TensorDesc& y = graph.desc(b.outputs[i]);
    if (x.dtype != y.dtype || !(x.shape == y.shape) || x.format != y.format || x.origin_format != y.origin_format) {
      return false;
    }
  }
  return true;
}

// Constants alone, or all but them.
bool MergeEqual(Graph& graph, PassContext& context, bool constants) {
  bool changed = false;
  std::map<std::string, std::vector<NodeId>> seen;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.type() == "Data" || node.outputs.empty() || node.Is(kStateful) || node.fused || !node.subgraphs.empty()) {
      continue;
    }
    if ((node.type() == "Const") != constants) continue;
    std::vector<NodeId>& candidates = seen[Key(node)];
    bool merged = false;
    for (const NodeId other_id : candidates) {
      Node& other = graph.node(other_id);
      if (!Same(graph, node, other)) continue;
      if (!context.journal.Allow(constants ? "equal constants" : "equal nodes", {&other, &node})) break;
      for (size_t i = 0; i < node.outputs.size(); ++i) graph.ReplaceUses(node.outputs[i], other.outputs[i]);
      other.origin = graph.origins().Union(other.origin, node.origin);
      context.journal.Made(other);
      graph.Remove(id);
      merged = changed = true;
      break;
    }
    if (!merged) candidates.push_back(id);
  }
  return changed;
}

}  // namespace

bool CommonSubexpressionEliminationPass(Graph& graph, PassContext& context) { return MergeEqual(graph, context, false); }

bool ConstantFuseSamePass(Graph& graph, PassContext& context) { return MergeEqual(graph, context, true); }

}  // namespace atc
