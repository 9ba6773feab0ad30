#include <algorithm>

#include "compiler/streams/stream_passes.h"

namespace atc {

void NodeStreamUpdate(StreamContext& context) {
  for (const Cluster& cluster : context.clusters.all) {
    for (const NodeId id : cluster.nodes) {
      Node& node = context.graph.node(id);
      if (node.attrs.Get<bool>(kRtsLabelNode, false)) {
        context.Set(node, std::max(context.default_stream, 0), "NodeStreamUpdate: label of the runtime");
      } else {
        context.Set(node, cluster.stream, cluster.rule);
      }
    }
  }
}

}  // namespace atc
