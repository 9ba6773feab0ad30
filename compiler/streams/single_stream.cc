#include <algorithm>

#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "compiler/streams/stream_passes.h"

namespace atc {

void SingleStream(StreamContext& context) {
  for (Cluster& cluster : context.clusters.all) {
    const Node& node = context.graph.node(cluster.nodes.front());
    if (!cluster.label.empty() && !context.options.unknown_shapes) {
      Error error("E10055", {{"reason", "--enable_single_stream=true and the stream label '" + cluster.label +
                                            "' cannot hold at the same time"}},
                  "Remove the label or leave out --enable_single_stream.");
      throw std::move(error.At("node '" + node.name + "' (" + node.type().str() + ")"));
    }
    cluster.stream = 0;
    cluster.rule = "SingleStream";
  }
  context.next_stream = std::max(context.next_stream, 1);
  context.default_stream = 0;
}

}  // namespace atc
