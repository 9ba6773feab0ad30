#include "compiler/passes/concat_merge.h"

#include "compiler/ir/stream_label.h"
#include "compiler/passes/slice_ranges.h"

namespace atc {
namespace {

bool Merge(Graph& graph, PassContext& context, Node& outer) {
  const std::optional<size_t> axis = ConcatAxisOf(graph, outer);
  bool changed = false;
  for (uint32_t i = 0; axis && i < outer.inputs.size(); ++i) {
    Node& inner = graph.producer(outer.inputs[i]);
    if (inner.id == outer.id || ConcatAxisOf(graph, inner) != axis || graph.value(inner.outputs[0]).uses.size() != 1) continue;
    if (StreamLabelOf(inner) != StreamLabelOf(outer)) continue;
    if (!context.journal.Allow("ConcatD of ConcatD", {&inner, &outer})) return changed;
    const std::vector<ValueId> parts = inner.inputs;
    graph.SetInput(outer, i, parts[0]);
    for (size_t k = 1; k < parts.size(); ++k) graph.InsertInput(outer, i + static_cast<uint32_t>(k), parts[k]);
    outer.attrs.Set("N", static_cast<int64_t>(outer.inputs.size()));
    outer.origin = graph.origins().Union(inner.origin, outer.origin);
    context.journal.Made(outer);
    graph.Remove(inner.id);
    changed = true;
    --i;  // the first of them may be a concatenation too
  }
  return changed;
}

}  // namespace

bool ConcatMergePass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "ConcatD") changed |= Merge(graph, context, node);
  }
  return changed;
}

}  // namespace atc
