#include "compiler/passes/prelu_fusion.h"

#include <string>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

// Whether a task of its own would be saved.
bool HasCompany(const Graph& graph, const Node& node) {
  const Node& before = graph.producer(node.inputs[0]);
  const auto joins = [&](const Node& other) { return !other.fused && StreamLabelOf(other) == StreamLabelOf(node); };
  if (graph.value(node.inputs[0]).uses.size() == 1 && joins(before) && (before.Is(kHeavy) || before.Is(kElementwise | kWidenHalf))) {
    return true;
  }
  const auto& uses = graph.value(node.outputs[0]).uses;
  return uses.size() == 1 && joins(graph.node(uses[0].node)) && graph.node(uses[0].node).Is(kElementwise | kWidenHalf);
}

bool Rewrite(Graph& graph, PassContext& context, Node& node) {
  const Tensor* weight = graph.ConstantInput(node, 1);
  const TensorDesc& x = graph.desc(node.inputs[0]);
  if (weight == nullptr || !x.origin_shape.HasRank() || x.origin_shape.rank() == 0 || weight->dtype() != x.dtype) return false;
  if (!IsFloatOrHalf(x.dtype) || HasUserDtype(node) || !node.control_in.empty() || !node.control_out.empty()) return false;
  if (!HasCompany(graph, node)) return false;
  const int64_t slopes = weight->NumElements();
  const size_t rank = x.origin_shape.rank();
  if (slopes < 1 || (slopes > 1 && (rank < 2 || x.origin_shape[1] != slopes))) return false;
  if (!context.journal.Allow("PRelu beside others", {&node})) return false;
  std::vector<int64_t> dims(slopes > 1 ? rank - 1 : 0, 1);
  if (slopes > 1) dims[0] = slopes;
  const std::string name = node.name;
  const ValueId slope = graph.AddConst(name + "_slope", weight->Reshaped(Shape(dims)), node.origin);
  Node& made = graph.Add("onnx::PRelu", "", {node.inputs[0], slope}, 1);
  made.origin = node.origin;
  CopyStreamLabels(node, made);
  made.Because("fusion", "PReluFusionPass: of " + name);
  graph.desc(made.outputs[0]) = graph.desc(node.outputs[0]);
  graph.ReplaceUses(node.outputs[0], made.outputs[0]);
  graph.Remove(node.id);
  graph.Rename(made, name);
  context.journal.Made(made);
  return true;
}

}  // namespace

bool PReluFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "PRelu") changed |= Rewrite(graph, context, node);
  }
  return changed;
}

}  // namespace atc
