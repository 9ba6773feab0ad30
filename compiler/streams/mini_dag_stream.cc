// The automatic modes: a light graph of the tasks, the fewest chains that hold them, merged to N streams.
#include <algorithm>
#include <map>

#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "compiler/streams/merge_chains.h"
#include "compiler/streams/op_summary.h"
#include "compiler/streams/path_cover.h"
#include "compiler/streams/stream_passes.h"

namespace atc {
void MiniDagStream(StreamContext& context) {
  ParallelMode mode = context.parallel_mode;
  if (mode.streams == 0) return;
  Graph& graph = context.graph;
  // What somebody asked for by name keeps its stream, and so does communication; these are numbered after the others.
  std::vector<NodeId> free;
  std::vector<uint32_t> number(graph.node_capacity(), kNoId);
  // N streams serve the whole model: nested graphs spread over those of the graph that holds them.
  // Of unknown shapes stream 0 is among them, as it is the host's.
  if (context.shared.automatic < 0) {
    context.shared.automatic = context.options.unknown_shapes ? 0 : context.next_stream;
    context.next_stream = std::max(context.next_stream, context.shared.automatic + mode.streams);
  }
  const int32_t base = context.shared.automatic;
  int32_t next = context.next_stream;
  context.ForEachTask([&](Node& node) {
    if (context.options.unknown_shapes && !node.subgraphs.empty()) return;
    const bool keeps = !StreamLabelOf(node).empty() || node.attrs.Has(kNewStreamId) ||
                       node.attrs.Get<bool>(kRtsLabelNode, false) || context.engines.Of(node).independent;
    if (!keeps) {
      number[node.id] = static_cast<uint32_t>(free.size());
      free.push_back(node.id);
      return;
    }
    const auto [it, added] = context.shared.behind_automatic.try_emplace(node.stream, next);
    next += added;
    node.stream = it->second;
  });
  TaskDag dag;
  dag.cube_cores = std::max(1, context.options.cube_cores);
  dag.vector_cores = std::max(1, context.options.vector_cores);
  const OpSummary measured = OpSummaryOfProcess();
  bool any_measured = false;
  for (const NodeId id : free) {
    dag.cost.push_back(CostOf(graph, graph.node(id), measured));
    any_measured |= dag.cost.back().measured;
    for (const bool earlier : {true, false}) {
      std::vector<uint32_t>& list = (earlier ? dag.before : dag.after).emplace_back();
      for (const NodeId other : earlier ? context.tasks.Before(id) : context.tasks.After(id)) {
        if (number[other] != kNoId) list.push_back(number[other]);
      }
      std::sort(list.begin(), list.end());
    }
  }
  // Measured times balance by time instead of by levels.
  if (any_measured && mode.kind == ParallelMode::kLoadBalance) mode.kind = ParallelMode::kWeighted;
  const std::vector<int32_t> streams = MergeChains(dag, MinimumPathCover(dag.after), mode);
  const std::string rule = "MiniDAGStreamPass: " + ParallelModeText(mode);
  for (size_t i = 0; i < free.size(); ++i) context.Set(graph.node(free[i]), base + streams[i], rule);
  context.next_stream = next;
}

}  // namespace atc
