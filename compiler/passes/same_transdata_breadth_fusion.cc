#include "compiler/passes/same_transdata_breadth_fusion.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/form.h"
#include "compiler/ir/stream_label.h"
#include "compiler/passes/trans_op.h"

namespace atc {
namespace {

// The ways from one value into one form.
struct Ways {
  NodeId direct = kNoId;      // a TransData of the value itself
  std::vector<NodeId> casts;  // what each gives is read by one TransData alone
};

// The TransData that alone reads `value`; null where something else does too.
Node* OnlyTransData(Graph& graph, ValueId value) {
  const std::vector<Use>& uses = graph.value(value).uses;
  if (uses.size() != 1) return nullptr;
  Node& reader = graph.node(uses[0].node);
  return IsFreeTransData(reader) ? &reader : nullptr;
}

// By form and stream label.
std::map<std::pair<Form, std::string>, Ways> WaysFrom(Graph& graph, ValueId value) {
  std::map<std::pair<Form, std::string>, Ways> ways;
  std::vector<NodeId> readers;
  for (const Use& use : graph.value(value).uses) readers.push_back(use.node);
  std::sort(readers.begin(), readers.end());
  for (const NodeId id : readers) {
    const Node& reader = graph.node(id);
    if (IsFreeTransData(reader)) {
      Ways& to = ways[{FormOf(graph.desc(reader.outputs[0])), StreamLabelOf(reader)}];
      if (to.direct == kNoId) to.direct = id;
    } else if (IsFreeCast(reader) && SameBlocks(graph.desc(value).dtype, graph.desc(reader.outputs[0]).dtype) &&
               FormOf(graph.desc(reader.outputs[0])) == FormOf(graph.desc(value))) {
      if (const Node* trans = OnlyTransData(graph, reader.outputs[0])) {
        ways[{FormOf(graph.desc(trans->outputs[0])), StreamLabelOf(*trans)}].casts.push_back(id);
      }
    }
  }
  return ways;
}

// `trans` brings the value itself into its form from now on; what it gave is left to `cast`, which it read.
void Advance(Graph& graph, Node& cast, Node& trans) {
  const ValueId value = cast.inputs[0], between = cast.outputs[0], result = trans.outputs[0];
  const std::vector<Use> readers = graph.value(result).uses;
  const TensorDesc end = graph.desc(result);
  graph.SetInput(trans, 0, value);
  graph.desc(result).dtype = graph.desc(value).dtype;
  graph.SetInput(cast, 0, result);
  graph.desc(between) = end;
  for (const Use& use : readers) graph.SetInput(graph.node(use.node), use.input, between);
}

void BecauseShared(const Graph& graph, Node& cast, const Node& shared) {
  std::erase_if(cast.reasons, [](const Reason& reason) { return reason.aspect == "format"; });
  cast.Because("format", std::string(FormatName(graph.desc(shared.outputs[0]).format)) + ": behind " + shared.name +
                             ", which serves others too");
}

bool Share(Graph& graph, PassContext& context, const Ways& ways) {
  bool changed = false;
  NodeId shared = ways.direct;
  NodeId waiting = kNoId;  // a Cast whose TransData would serve all, once there is another
  for (const NodeId id : ways.casts) {
    Node& cast = graph.node(id);
    Node& own = *OnlyTransData(graph, cast.outputs[0]);
    if (shared == kNoId && waiting == kNoId) {
      waiting = id;
      continue;
    }
    Node* const first = waiting == kNoId ? nullptr : &graph.node(waiting);
    Node& kept = first == nullptr ? graph.node(shared) : *OnlyTransData(graph, first->outputs[0]);
    std::vector<const Node*> before = {&kept, &cast, &own};
    if (first != nullptr) before.push_back(first);
    if (!context.journal.Allow("one TransData before Casts", before)) continue;
    if (first != nullptr) {
      Advance(graph, *first, kept);
      BecauseShared(graph, *first, kept);
      context.journal.Made(*first);
      shared = kept.id;
      waiting = kNoId;
    }
    kept.origin = graph.origins().Union(kept.origin, own.origin);
    graph.SetInput(cast, 0, kept.outputs[0]);
    graph.desc(cast.outputs[0]) = graph.desc(own.outputs[0]);
    graph.ReplaceUses(own.outputs[0], cast.outputs[0]);
    graph.Remove(own.id);
    BecauseShared(graph, cast, kept);
    context.journal.Made(kept);
    context.journal.Made(cast);
    changed = true;
  }
  return changed;
}

}  // namespace

bool SameTransdataBreadthFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  std::set<ValueId> values;  // one of the ways begins with a Cast
  for (const NodeId id : FreeCasts(graph)) {
    if (graph.value(graph.node(id).inputs[0]).uses.size() > 1) values.insert(graph.node(id).inputs[0]);
  }
  for (const ValueId value : values) {
    for (const auto& [form, ways] : WaysFrom(graph, value)) changed |= Share(graph, context, ways);
  }
  return changed;
}

}  // namespace atc
