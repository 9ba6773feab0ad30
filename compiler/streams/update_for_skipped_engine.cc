#include "compiler/ir/stream_label.h"
#include "compiler/streams/stream_passes.h"

namespace atc {

void UpdateForSkippedEngine(StreamContext& context) {
  for (const NodeId id : context.order) {
    Node& node = context.graph.node(id);
    if (!context.IsTask(node)) {
      node.stream = -1;
      continue;
    }
    if (!context.engines.Of(node).skip || !StreamLabelOf(node).empty() || !node.subgraphs.empty()) continue;
    const auto before = context.tasks.Before(id);
    const auto after = context.tasks.After(id);
    // GE needs no task for a node of these engines that waits for nothing. Here it has one (a copy), and runs where it is
    // needed first.
    const NodeId nearest = !before.empty() ? before[0] : !after.empty() ? after[0] : kNoId;
    if (nearest == kNoId) continue;
    const int32_t stream = context.graph.node(nearest).stream;
    bool one_stream = true;
    for (const auto& side : {before, after}) {
      for (const NodeId other : side) one_stream &= context.graph.node(other).stream == stream;
    }
    if (one_stream || before.empty()) context.Set(node, stream, "UpdateForSkippedEngine");
  }
}

}  // namespace atc
