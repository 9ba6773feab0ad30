#include <map>

#include "compiler/streams/stream_passes.h"

namespace atc {

void UpdateForMdeGroup(StreamContext& context) {
  std::map<int64_t, int32_t> streams;
  for (const Cluster& cluster : context.clusters.all) {
    if (cluster.new_stream_id >= 0) streams[cluster.new_stream_id] = 0;
  }
  for (auto& [stated, stream] : streams) stream = context.next_stream++;
  for (Cluster& cluster : context.clusters.all) {
    if (cluster.new_stream_id < 0) continue;
    cluster.stream = streams[cluster.new_stream_id];
    cluster.rule = "UpdateForMdeGroup: NewStreamId " + std::to_string(cluster.new_stream_id);
  }
}

}  // namespace atc
