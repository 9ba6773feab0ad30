#include "compiler/passes/trans_op_without_reshape_fusion.h"

#include <string>

#include "compiler/ir/form.h"
#include "compiler/passes/trans_op.h"

namespace atc {
namespace {

// What undoes the widening altogether is TransOpSymmetryElimination's.
bool SkipWidening(Graph& graph, PassContext& context, Node& cast) {
  Node& before = graph.producer(cast.inputs[0]);
  if (!IsFreeCast(before)) return false;
  const TensorDesc& source = graph.desc(before.inputs[0]);
  const DataType to = graph.desc(cast.outputs[0]).dtype;
  if (!IsHalf(source.dtype) || to == source.dtype) return false;
  if (!WidensExactly(source.dtype, graph.desc(before.outputs[0]).dtype)) return false;
  if (!(FormOf(source) == FormOf(graph.desc(cast.outputs[0])))) return false;
  if (!context.journal.Allow("Cast of Cast", {&before, &cast})) return false;
  graph.SetInput(cast, 0, before.inputs[0]);
  cast.Because("dtype", "takes what " + before.name + " widens");
  context.journal.Made(cast);
  RemoveUnread(graph, before.id);
  return true;
}

bool CastInForm(Graph& graph, PassContext& context, Node& back) {
  Node& cast = graph.producer(back.inputs[0]);
  if (!IsFreeCast(cast) || graph.value(cast.outputs[0]).uses.size() != 1) return false;
  Node& there = graph.producer(cast.inputs[0]);
  if (!IsFreeTransData(there)) return false;
  const TensorDesc &source = graph.desc(there.inputs[0]), &result = graph.desc(back.outputs[0]);
  if (!(FormOf(source) == FormOf(result)) || !SameBlocks(source.dtype, result.dtype)) return false;
  if (!context.journal.Allow("TransData, Cast, TransData", {&there, &cast, &back})) return false;
  cast.Because("format", std::string(FormatName(result.format)) + ": that of " + graph.producer(there.inputs[0]).name);
  graph.SetInput(cast, 0, there.inputs[0]);
  graph.desc(cast.outputs[0]) = result;
  graph.ReplaceUses(back.outputs[0], cast.outputs[0]);
  context.journal.Made(cast);
  graph.Remove(back.id);
  RemoveUnread(graph, there.id);
  return true;
}

}  // namespace

bool TransOpWithoutReshapeFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : FreeTransOps(graph)) {
    Node& node = graph.node(id);
    if (node.alive) changed |= (node.type() == "Cast" ? SkipWidening : CastInForm)(graph, context, node);
  }
  return changed;
}

}  // namespace atc
