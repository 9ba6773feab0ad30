#include <map>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/streams/stream_passes.h"

namespace atc {

void AllReduceParallel(StreamContext& context) {
  if (!context.options.hcom_parallel) return;
  Graph& graph = context.graph;
  std::vector<bool> follows(graph.node_capacity(), false);
  for (const NodeId id : context.order) {
    const Node& reduce = graph.node(id);
    if (reduce.type() != "HcomAllReduce" || reduce.attrs.Get<int64_t>("fusion", 0) <= 0) continue;
    const std::string label = StreamLabelOf(reduce);
    std::vector<NodeId> open = {id};
    while (!open.empty()) {
      const Node& node = graph.node(open.back());
      open.pop_back();
      for (const ValueId output : node.outputs) {
        for (const Use& use : graph.value(output).uses) {
          if (follows[use.node] || StreamLabelOf(graph.node(use.node)) != label) continue;
          follows[use.node] = true;
          open.push_back(use.node);
        }
      }
    }
  }
  std::map<int32_t, int32_t> streams;
  for (const NodeId id : context.order) {
    Node& node = graph.node(id);
    // Communication itself stays in its queue.
    if (!follows[id] || node.stream < 0 || context.engines.Of(node).independent) continue;
    const auto [it, added] = streams.try_emplace(node.stream, context.next_stream);
    context.next_stream += added;
    context.Set(node, it->second, "AllReduceParallel");
  }
}

}  // namespace atc
