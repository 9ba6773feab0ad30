#include "compiler/streams/stream_passes.h"

namespace atc {

void AssignByLabel(StreamContext& context) {
  for (Cluster& cluster : context.clusters.all) {
    if (cluster.stream >= 0 || cluster.label.empty()) continue;
    const auto [it, added] = context.shared.of_label.try_emplace(cluster.label, context.next_stream);
    context.next_stream += added;
    cluster.stream = it->second;
    cluster.rule = "AssignByLabel: " + cluster.label;
  }
}

}  // namespace atc
