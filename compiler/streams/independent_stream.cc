#include "compiler/streams/stream_passes.h"

namespace atc {

void IndependentStream(StreamContext& context) {
  for (Cluster& cluster : context.clusters.all) {
    if (cluster.stream >= 0 || !cluster.engine->independent) continue;
    const auto [it, added] = context.shared.of_independent.try_emplace({cluster.engine->name, cluster.label}, context.next_stream);
    context.next_stream += added;
    cluster.stream = it->second;
    cluster.rule = "IndependentStream: " + cluster.engine->name;
  }
}

}  // namespace atc
