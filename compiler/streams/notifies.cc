#include "compiler/streams/notifies.h"

#include <string>

#include "compiler/ir/error.h"

namespace atc {

int32_t NumberNotifies(Graph& graph, int32_t events) {
  if (events > kMostNotifies) {
    throw Error("E10055", {{"reason", "ge.event=notify and " + std::to_string(events) +
                                          " waits between streams cannot hold at the same time: a device has " +
                                          std::to_string(kMostNotifies) + " notifies"}},
                "Use fewer streams, or leave out ge.event.");
  }
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    if (node.type() == "Send" || node.type() == "Recv") node.attrs.Set(kNotifyId, node.Attr<int64_t>("event_id"));
    for (const Subgraph& nested : node.subgraphs) NumberNotifies(*nested.graph, events);
  }
  return events;
}

}  // namespace atc
