#include "compiler/passes/trans_op_symmetry_elimination.h"

#include "compiler/ir/form.h"
#include "compiler/passes/trans_op.h"

namespace atc {
namespace {

// Whether `back` gives what `there` took.
bool Undoes(const Graph& graph, const Node& there, const Node& back) {
  const bool casts = IsFreeCast(there) && IsFreeCast(back);
  if (!casts && !(IsFreeTransData(there) && IsFreeTransData(back))) return false;
  const TensorDesc& before = graph.desc(there.inputs[0]);
  const TensorDesc& behind = graph.desc(back.outputs[0]);
  if (before.dtype != behind.dtype || !(FormOf(before) == FormOf(behind)) || !(before.shape == behind.shape))
    return false;
  return !casts || WidensExactly(before.dtype, graph.desc(there.outputs[0]).dtype);
}

}  // namespace

bool TransOpSymmetryEliminationPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : FreeTransOps(graph)) {
    Node& back = graph.node(id);
    if (!back.alive) continue;
    Node& there = graph.producer(back.inputs[0]);
    if (!Undoes(graph, there, back) || JoinsInterface(graph, there.inputs[0], back.outputs[0])) continue;
    if (!context.journal.Allow(back.type().str() + " there and back", {&there, &back})) continue;
    graph.ReplaceUses(back.outputs[0], there.inputs[0]);
    graph.Remove(id);
    RemoveUnread(graph, there.id);
    changed = true;
  }
  return changed;
}

}  // namespace atc
