#include "compiler/passes/host_batch_norm.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/evaluator.h"
#include "compiler/passes/channel_affine.h"

namespace atc {
namespace {

// Whether a task of its own would be saved: what comes before or behind may take elementwise operators in.
bool HasCompany(const Graph& graph, const Node& norm) {
  const Node& before = graph.producer(norm.inputs[0]);
  const auto joins = [&](const Node& node) { return !node.fused && StreamLabelOf(node) == StreamLabelOf(norm); };
  if (graph.value(norm.inputs[0]).uses.size() == 1 && joins(before) && (before.Is(kHeavy) || before.Is(kElementwise | kWidenHalf))) {
    return true;
  }
  const auto& uses = graph.value(norm.outputs[0]).uses;
  return uses.size() == 1 && joins(graph.node(uses[0].node)) && graph.node(uses[0].node).Is(kElementwise | kWidenHalf);
}

bool Split(Graph& graph, PassContext& context, Node& norm) {
  const TensorDesc desc = graph.desc(norm.outputs[0]);
  const Shape& shape = desc.origin_shape;
  const bool floating = desc.dtype == DT_FLOAT || IsHalf(desc.dtype);
  if (!floating || !shape.HasRank() || shape.rank() < 2 || HasUserDtype(norm) || !HasCompany(graph, norm)) return false;
  if (graph.desc(norm.inputs[0]).dtype != desc.dtype) return false;
  const std::optional<ChannelAffine> affine = AffineOfBatchNorm(graph, norm);
  const size_t axis = IsChannelsLast(norm) && shape.rank() > 2 ? shape.rank() - 1 : 1;
  if (!affine || static_cast<int64_t>(affine->scale.size()) != shape[axis]) return false;
  if (!context.journal.Allow("BatchNorm beside elementwise operators", {&norm})) return false;
  std::vector<int64_t> dims(shape.rank() - axis, 1);
  dims[0] = shape[axis];
  const auto constant = [&](const char* suffix, const std::vector<double>& values) {
    const std::vector<float> floats(values.begin(), values.end());
    return graph.AddConst(norm.name + suffix, Narrow(Tensor::From<float>(DT_FLOAT, Shape(dims), floats), desc.dtype), norm.origin);
  };
  const auto add = [&](const char* type, const std::string& name, ValueId x, ValueId operand) {
    Node& node = graph.Add(type, name, {x, operand}, 1);
    node.origin = norm.origin;
    CopyStreamLabels(norm, node);
    node.Because("fusion", "HostBNFusionPass: of " + norm.name);
    graph.desc(node.outputs[0]) = desc;
    context.journal.Made(node);
    return node.outputs[0];
  };
  const ValueId scaled = add("Mul", norm.name + "/scale", norm.inputs[0], constant("_scale", affine->scale));
  const ValueId shifted = add("Add", "", scaled, constant("_shift", affine->shift));
  const std::string name = norm.name;
  graph.ReplaceUses(norm.outputs[0], shifted);
  graph.Remove(norm.id);
  graph.Rename(graph.producer(shifted), name);
  return true;
}

}  // namespace

bool HostBNFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "BatchNorm") changed |= Split(graph, context, node);
  }
  return changed;
}

}  // namespace atc
