#include "compiler/passes/transpose_transdata.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/form.h"
#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/fused_node.h"
#include "compiler/passes/permuted_node.h"
#include "compiler/passes/trans_op.h"

namespace atc {
namespace {

// Orders of the dims that blocks of channels stand for, and where the axes of the one lie in the other.
struct Turn {
  Format from, to;
  Axes order;
};

const Turn kTurns[] = {
    {FORMAT_NCDHW, FORMAT_NDHWC, {0, 2, 3, 4, 1}},
    {FORMAT_NCHW, FORMAT_NHWC, {0, 2, 3, 1}},
    {FORMAT_NDHWC, FORMAT_NCDHW, {0, 4, 1, 2, 3}},
    {FORMAT_NHWC, FORMAT_NCHW, {0, 3, 1, 2}},
};

// The Transpose alone: its order may be an operand.
bool IsTranspose(const Graph& graph, const Node& node) {
  return node.type() == "Transpose" && !node.fused && node.inputs[0] != kNoId &&
         graph.Constant(node.inputs[0]) == nullptr;
}

bool IsTransData(const Node& node) { return node.type() == "TransData" && !node.fused; }

const Turn* TurnOf(const Graph& graph, const Node& transpose) {
  const std::optional<Axes> order = OrderOf(graph, transpose);
  const auto found =
      std::find_if(std::begin(kTurns), std::end(kTurns), [&](const Turn& turn) { return order == turn.order; });
  return found == std::end(kTurns) ? nullptr : found;
}

// One node for both; `first` is read by `second`. Its formats are those of its two ends.
void Fuse(Graph& graph, PassContext& context, const Node& first, const Node& second, const Turn& turn) {
  const bool into = second.type() == "TransData";
  const Node& transpose = into ? first : second;
  const Node& trans = into ? second : first;
  const std::string storage(FormatName(graph.desc(into ? trans.outputs[0] : trans.inputs[0]).format));
  const std::string plain(FormatName(into ? turn.from : turn.to));
  const std::vector<NodeId> members = {graph.producer(transpose.inputs[1]).id, first.id, second.id};
  Node& fused = MakeFused(graph, members, trans.id, "TransData", second.outputs[0]);
  fused.attrs.Set("src_format", into ? plain : storage);
  fused.attrs.Set("dst_format", into ? storage : plain);
  fused.Because("fusion", into ? "Transpose+TransData" : "TransData+Transpose");
  context.journal.Made(fused);
}

// The TransData that read the Transpose, where nothing else does and each begins where it ends.
bool FuseInto(Graph& graph, PassContext& context, const Node& transpose, const Turn& turn) {
  const ValueId between = transpose.outputs[0];
  std::vector<NodeId> readers;
  for (const Use& use : graph.value(between).uses) {
    const Node& reader = graph.node(use.node);
    if (!IsTransData(reader) || StreamLabelOf(reader) != StreamLabelOf(transpose)) return false;
    const Form form = FormOf(graph.desc(reader.outputs[0]));
    if (form.IsPlain() || form.plain != turn.to) return false;
    readers.push_back(reader.id);
  }
  std::sort(readers.begin(), readers.end());
  const NodeId id = transpose.id;  // it goes with the last of them
  bool changed = false;
  for (const NodeId reader : readers) {
    if (!context.journal.Allow("Transpose+TransData", {&graph.node(id), &graph.node(reader)})) continue;
    Fuse(graph, context, graph.node(id), graph.node(reader), turn);
    changed = true;
  }
  return changed;
}

bool FuseBehind(Graph& graph, PassContext& context, const Node& transpose, const Turn& turn) {
  const Node& trans = graph.producer(transpose.inputs[0]);
  if (!IsTransData(trans) || graph.value(trans.outputs[0]).uses.size() != 1) return false;
  const Form form = FormOf(graph.desc(trans.inputs[0]));
  if (form.IsPlain() || form.plain != turn.from || StreamLabelOf(trans) != StreamLabelOf(transpose)) return false;
  if (!context.journal.Allow("TransData+Transpose", {&trans, &transpose})) return false;
  Fuse(graph, context, trans, transpose, turn);
  return true;
}

// A Cast that is all that reads what `before` gives, and whose result `behind` alone reads.
bool StandsBetween(const Graph& graph, const Node& cast, const Node& before, const Node& behind) {
  return IsFreeCast(cast) && graph.value(before.outputs[0]).uses.size() == 1 &&
         graph.value(cast.outputs[0]).uses.size() == 1 && StreamLabelOf(cast) == StreamLabelOf(behind) &&
         StreamLabelOf(cast) == StreamLabelOf(before);
}

// Transpose, Cast, TransData: the Cast goes first.
bool FuseOverCast(Graph& graph, PassContext& context, Node& transpose, const Turn& turn) {
  Node& cast = graph.node(graph.value(transpose.outputs[0]).uses[0].node);
  if (!IsFreeCast(cast) || graph.value(cast.outputs[0]).uses.empty()) return false;
  Node& trans = graph.node(graph.value(cast.outputs[0]).uses[0].node);
  if (!IsTransData(trans) || !StandsBetween(graph, cast, transpose, trans)) return false;
  const Form form = FormOf(graph.desc(trans.outputs[0]));
  if (form.IsPlain() || form.plain != turn.to) return false;
  if (!context.journal.Allow("Transpose+Cast+TransData", {&transpose, &cast, &trans})) return false;
  const ValueId x = transpose.inputs[0], between = transpose.outputs[0];
  const DataType to = graph.desc(cast.outputs[0]).dtype;
  graph.SetInput(trans, 0, between);
  graph.SetInput(cast, 0, x);
  graph.SetInput(transpose, 0, cast.outputs[0]);
  graph.desc(cast.outputs[0]) = graph.desc(x);
  graph.desc(cast.outputs[0]).dtype = graph.desc(between).dtype = to;
  context.journal.Made(cast);
  Fuse(graph, context, transpose, trans, turn);
  return true;
}

// TransData, Cast, Transpose: the Cast goes last.
bool FuseBehindCast(Graph& graph, PassContext& context, Node& transpose, const Turn& turn) {
  Node& cast = graph.producer(transpose.inputs[0]);
  if (!IsFreeCast(cast)) return false;
  Node& trans = graph.producer(cast.inputs[0]);
  if (!IsTransData(trans) || !StandsBetween(graph, cast, trans, transpose)) return false;
  const Form form = FormOf(graph.desc(trans.inputs[0]));
  if (form.IsPlain() || form.plain != turn.from) return false;
  if (!context.journal.Allow("TransData+Cast+Transpose", {&trans, &cast, &transpose})) return false;
  const ValueId y = transpose.outputs[0];
  graph.ReplaceUses(y, cast.outputs[0]);
  graph.SetInput(transpose, 0, trans.outputs[0]);
  graph.SetInput(cast, 0, y);
  graph.desc(cast.outputs[0]) = graph.desc(y);
  graph.desc(y).dtype = graph.desc(trans.outputs[0]).dtype;
  context.journal.Made(cast);
  Fuse(graph, context, trans, transpose, turn);
  return true;
}

}  // namespace

bool TransposeTransDataPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (!graph.node(id).alive || !IsTranspose(graph, graph.node(id))) continue;
    Node& transpose = graph.node(id);
    const Turn* turn = TurnOf(graph, transpose);
    if (turn == nullptr || graph.value(transpose.outputs[0]).uses.empty()) continue;
    const bool fused = FuseInto(graph, context, transpose, *turn) || FuseBehind(graph, context, transpose, *turn);
    changed |= fused;
    if (fused || HasUserDtype(transpose)) continue;
    changed |= FuseOverCast(graph, context, transpose, *turn) || FuseBehindCast(graph, context, transpose, *turn);
  }
  return changed;
}

}  // namespace atc
