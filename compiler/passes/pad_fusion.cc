#include "compiler/passes/pad_fusion.h"

#include "compiler/ir/stream_label.h"
#include "compiler/passes/padding_before.h"

namespace atc {
namespace {

bool Fuse(Graph& graph, PassContext& context, Node& second) {
  Node& first = graph.producer(second.inputs[0]);
  const std::optional<ConstantPadding> outer = ConstantPaddingOf(graph, second), inner = ConstantPaddingOf(graph, first);
  if (!outer || !inner || outer->value != inner->value || StreamLabelOf(first) != StreamLabelOf(second)) return false;
  if (!(second.type() == "PadV3") || graph.value(first.outputs[0]).uses.size() != 1) return false;
  if (!context.journal.Allow("Pad of Pad", {&first, &second})) return false;
  const size_t rank = outer->begin.size();
  std::vector<int64_t> begins_and_ends(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    begins_and_ends[i] = inner->begin[i] + outer->begin[i];
    begins_and_ends[i + rank] = inner->end[i] + outer->end[i];
  }
  second.attrs.Set("paddings_contiguous", false);
  second.origin = graph.origins().Union(first.origin, second.origin);
  graph.SetInput(second, 0, first.inputs[0]);
  graph.SetInput(second, 1, graph.AddConst(second.name + "_paddings", Tensor::Ints(begins_and_ends), second.origin));
  graph.Remove(first.id);
  context.journal.Made(second);
  return true;
}

}  // namespace

bool PadFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && !node.inputs.empty() && node.inputs[0] != kNoId) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
