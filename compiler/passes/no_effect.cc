#include "compiler/passes/no_effect.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "compiler/passes/padding_before.h"
#include "compiler/passes/slice_ranges.h"

namespace atc {
namespace {

// Whether a node whose result has the shape of its input moves and fills nothing.
bool LeavesAll(const Graph& graph, const Node& node) {
  for (const char* type : {"BroadcastTo", "Expand", "SplitD", "SplitV", "Tile", "onnx::Split"}) {
    if (node.type() == type) return true;
  }
  if (const auto padding = ConstantPaddingOf(graph, node)) {
    const auto none = [](int64_t edge) { return edge == 0; };
    return std::all_of(padding->begin.begin(), padding->begin.end(), none) &&
           std::all_of(padding->end.begin(), padding->end.end(), none);
  }
  return RangesOf(graph, node).has_value();
}

// Whether a node gives its first input, from which comes `from`, back unchanged as `to`.
using LeavesAsIs = bool (*)(const Graph& graph, const Node& node, const TensorDesc& from, const TensorDesc& to);

bool SameTensor(const TensorDesc& from, const TensorDesc& to) {
  return from.dtype == to.dtype && from.origin_shape.IsKnown() && from.origin_shape == to.origin_shape;
}

bool IsIdentity(const Graph&, const Node& node, const TensorDesc&, const TensorDesc&) { return node.type() == "Identity"; }

bool IsCastToSame(const Graph&, const Node& node, const TensorDesc& from, const TensorDesc& to) {
  return node.type() == "Cast" && from.dtype == to.dtype;
}

bool IsReshapeToSame(const Graph&, const Node& node, const TensorDesc& from, const TensorDesc& to) {
  return node.Is(kShapeOnly) && !(node.type() == "Identity") && SameTensor(from, to);
}

bool IsTransposeInOrder(const Graph& graph, const Node& node, const TensorDesc& from, const TensorDesc& to) {
  if (!(node.type() == "Transpose") || from.dtype != to.dtype) return false;
  const Tensor* perm = graph.ConstantInput(node, 1);
  if (perm == nullptr) return false;
  const std::vector<int64_t> order = ToInts(*perm);
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

bool MovesNothing(const Graph& graph, const Node& node, const TensorDesc& from, const TensorDesc& to) {
  if (node.type() == "ConcatD") return node.inputs.size() == 1;
  return SameTensor(from, to) && LeavesAll(graph, node);
}

// A model's output must stay its own value: what goes straight from an input or a constant to NetOutput keeps its node.
bool JoinsInterface(const Graph& graph, const Node& node) {
  if (!graph.producer(node.inputs[0]).Is(kSource)) return false;
  for (const Use& use : graph.value(node.outputs[0]).uses) {
    if (graph.node(use.node).type() == "NetOutput") return true;
  }
  return false;
}

constexpr const char* kReductions[] = {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"};

// Whether the Reshape puts the dims of 1 back that the reduction before it, which serves nothing else, took away.
bool RestoresReduced(const Graph& graph, const Node& reduction, const Node& reshape) {
  const bool known_type = std::any_of(std::begin(kReductions), std::end(kReductions),
                                      [&](const char* type) { return reduction.type() == type; });
  if (!known_type || !(reshape.type() == "Reshape") || reduction.inputs.size() < 2 || reduction.Attr<bool>("keep_dims")) return false;
  const Tensor* axes = graph.ConstantInput(reduction, 1);
  if (axes == nullptr || axes->NumElements() == 0 || graph.value(reduction.outputs[0]).uses.size() != 1) return false;
  Shape kept = graph.desc(reduction.inputs[0]).origin_shape;
  if (!kept.HasRank()) return false;
  for (int64_t axis : ToInts(*axes)) {
    if (axis < 0) axis += static_cast<int64_t>(kept.rank());
    kept[static_cast<size_t>(axis)] = 1;
  }
  // One open dim on both sides is the same, since the others are.
  const auto open = std::count(kept.dims().begin(), kept.dims().end(), kUnknownDim);
  return open <= 1 && kept == graph.desc(reshape.outputs[0]).origin_shape;
}

template <LeavesAsIs kLeaves>
bool RemoveAll(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.outputs.size() != 1 || node.inputs.empty() || node.inputs[0] == kNoId || node.fused) continue;
    if (!kLeaves(graph, node, graph.desc(node.inputs[0]), graph.desc(node.outputs[0])) || JoinsInterface(graph, node))
      continue;
    if (!context.journal.Allow(node.type().str() + " without effect", {&node})) continue;
    const ValueId source = node.inputs[0];
    Node& producer = graph.producer(source);
    // Who read it went on waiting for what it waited for.
    const std::vector<Use> uses = graph.value(node.outputs[0]).uses;
    for (const NodeId before : std::vector<NodeId>(node.control_in)) {
      for (const Use& use : uses) graph.AddControl(before, use.node);
    }
    graph.ReplaceUses(node.outputs[0], source);
    producer.origin = graph.origins().Union(producer.origin, node.origin);
    graph.Remove(id);
    changed = true;
  }
  return changed;
}

}  // namespace

bool IdentityPass(Graph& graph, PassContext& context) { return RemoveAll<IsIdentity>(graph, context); }
bool CastRemovePass(Graph& graph, PassContext& context) { return RemoveAll<IsCastToSame>(graph, context); }
bool NoUseReshapeRemovePass(Graph& graph, PassContext& context) { return RemoveAll<IsReshapeToSame>(graph, context); }
bool UnchangedTransposeRemovePass(Graph& graph, PassContext& context) { return RemoveAll<IsTransposeInOrder>(graph, context); }
bool RemoveNoEffectPass(Graph& graph, PassContext& context) { return RemoveAll<MovesNothing>(graph, context); }

bool MergeMovementPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.inputs.empty() || node.inputs[0] == kNoId) continue;
    Node& before = graph.producer(node.inputs[0]);
    if (RestoresReduced(graph, before, node)) {
      if (!context.journal.Allow(before.type().str() + " + Reshape", {&before, &node})) continue;
      before.attrs.Set("keep_dims", true);
      before.origin = graph.origins().Union(before.origin, node.origin);
      graph.desc(before.outputs[0]) = graph.desc(node.outputs[0]);
      graph.ReplaceUses(node.outputs[0], before.outputs[0]);
      graph.Remove(id);
      context.journal.Made(before);
      changed = true;
      continue;
    }
    if (before.type() == "Transpose" && node.type() == "Transpose") {
      const Tensor* first = graph.ConstantInput(before, 1);
      const Tensor* second = graph.ConstantInput(node, 1);
      if (first == nullptr || second == nullptr) continue;
      if (!context.journal.Allow("Transpose of Transpose", {&before, &node})) continue;
      const std::vector<int64_t> inner = ToInts(*first);
      std::vector<int64_t> perm;
      for (const int64_t axis : ToInts(*second)) perm.push_back(inner[axis]);
      graph.SetInput(node, 0, before.inputs[0]);
      graph.SetInput(node, 1, graph.AddConst(node.name + "_perm", Tensor::Ints(perm), node.origin));
    } else if (before.Is(kShapeOnly) && node.type() == "Reshape" && before.outputs.size() == 1 &&
               graph.desc(before.inputs[0]).dtype == graph.desc(before.outputs[0]).dtype &&
               graph.ConstantInput(node, 1) != nullptr && graph.desc(node.outputs[0]).origin_shape.IsKnown()) {
      if (!context.journal.Allow("Reshape of " + before.type().str(), {&before, &node})) continue;
      // The target is spelled out: a 0 in the old one would copy a dim of the tensor that is skipped.
      const std::vector<int64_t> target = graph.desc(node.outputs[0]).origin_shape.dims();
      graph.SetInput(node, 0, before.inputs[0]);
      graph.SetInput(node, 1, graph.AddConst(node.name + "_shape", Tensor::Ints(target), node.origin));
      // Reshape reads 0 as "copy"; with every dim known none may be 0 unless allowzero says so.
      for (const int64_t dim : target) {
        if (dim == 0) node.attrs.Set("allowzero", 1);
      }
    } else {
      continue;
    }
    node.origin = graph.origins().Union(before.origin, node.origin);
    context.journal.Made(node);
    changed = true;
  }
  return changed;
}

}  // namespace atc
