#include "compiler/passes/channel_shuffle_fusion.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/fused_node.h"

namespace atc {
namespace {

// A node without side effects or orders of its own, with one output.
bool IsPlain(const Node& node) {
  return !node.fused && node.outputs.size() == 1 && node.control_in.empty() && node.control_out.empty() &&
         !HasUserDtype(node);
}

bool IsFloatTensor(const TensorDesc& desc) { return desc.dtype == DT_FLOAT || IsHalf(desc.dtype); }

// Whether `perm`, between the shapes outer -> inner and back, moves channels alone: batch and plane stay where they are.
bool MovesChannels(const Shape& outer, const Shape& inner, const Tensor* perm) {
  if (perm == nullptr || !outer.IsKnown() || !inner.IsKnown() || outer.rank() != 4 || inner.rank() < 4) return false;
  const std::vector<int64_t> order = ToInts(perm->Materialized());
  const size_t rank = inner.rank();
  // The channels are what lies between the first axis and the plane, however that is cut.
  size_t plane = rank;
  for (int64_t rest = outer[2] * outer[3]; rest > 1 && plane > 1;) {
    --plane;
    if (inner[plane] == 0 || rest % inner[plane] != 0) return false;
    rest /= inner[plane];
  }
  if (order.size() != rank || plane < 2 || inner[0] != outer[0] || order[0] != 0) return false;
  int64_t channels = 1;
  for (size_t i = 1; i < plane; ++i) channels *= inner[i];
  for (size_t i = plane; i < rank; ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return channels == outer[1];
}

bool TryFuse(Graph& graph, PassContext& context, Node& transpose) {
  if (!(transpose.type() == "Transpose") || !IsPlain(transpose) || transpose.inputs[0] == kNoId) return false;
  const Node& before = graph.producer(transpose.inputs[0]);
  const std::vector<Use>& uses = graph.value(transpose.outputs[0]).uses;
  if (!(before.type() == "Reshape") || !IsPlain(before) || uses.size() != 1) return false;
  const Node& after = graph.node(uses[0].node);
  if (!(after.type() == "Reshape") || !IsPlain(after) || uses[0].input != 0) return false;
  if (graph.value(before.outputs[0]).uses.size() != 1) return false;
  const TensorDesc &x = graph.desc(before.inputs[0]), &y = graph.desc(after.outputs[0]);
  if (!IsFloatTensor(x) || x.dtype != y.dtype || !(x.origin_shape == y.origin_shape)) return false;
  if (!MovesChannels(x.origin_shape, graph.desc(before.outputs[0]).origin_shape, graph.ConstantInput(transpose, 1))) {
    return false;
  }
  for (const Node* reshape : {&before, &after}) {
    if (graph.ConstantInput(*reshape, 1) == nullptr || StreamLabelOf(*reshape) != StreamLabelOf(transpose)) return false;
  }
  if (!context.journal.Allow("Reshape+Transpose+Reshape", {&before, &transpose, &after})) return false;
  // The constants go along: what is left is a node of one tensor.
  std::vector<NodeId> members;
  for (const Node* node : {&before, static_cast<const Node*>(&transpose), &after}) {
    const NodeId constant = graph.producer(node->inputs[1]).id;
    if (std::find(members.begin(), members.end(), constant) == members.end()) members.push_back(constant);
    members.push_back(node->id);
  }
  Node& fused = MakeFused(graph, members, transpose.id, "Transpose", after.outputs[0]);
  fused.Because("fusion", "Reshape+Transpose+Reshape");
  context.journal.Made(fused);
  return true;
}

}  // namespace

bool ReshapeTransposeFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    if (graph.node(id).alive) changed |= TryFuse(graph, context, graph.node(id));
  }
  return changed;
}

}  // namespace atc
