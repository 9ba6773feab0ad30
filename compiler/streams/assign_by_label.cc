#include <map>

#include "compiler/streams/stream_passes.h"

namespace atc {

void AssignByLabel(StreamContext& context) {
  std::map<std::string, int32_t> streams;
  for (Cluster& cluster : context.clusters.all) {
    if (cluster.stream >= 0 || cluster.label.empty()) continue;
    const auto [it, added] = streams.try_emplace(cluster.label, context.next_stream);
    context.next_stream += added;
    cluster.stream = it->second;
    cluster.rule = "AssignByLabel: " + cluster.label;
  }
}

}  // namespace atc
