#include <map>

#include "compiler/streams/stream_passes.h"

namespace atc {

void RefreshContinuousStreams(StreamContext& context) {
  std::map<int32_t, int32_t> renumbered;
  for (const NodeId id : context.order) {
    if (context.graph.node(id).stream >= 0) renumbered[context.graph.node(id).stream] = 0;
  }
  context.next_stream = 0;
  for (auto& [old, stream] : renumbered) stream = context.next_stream++;
  for (const NodeId id : context.order) {
    Node& node = context.graph.node(id);
    if (node.stream >= 0) node.stream = renumbered[node.stream];
  }
}

}  // namespace atc
