#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/stream_label.h"
#include "compiler/streams/stream_passes.h"

namespace atc {

void OptimizeIneffectiveMultiStream(StreamContext& context) {
  std::map<int32_t, std::set<uint32_t>> places;  // of the tasks of each stream, in launch order
  // Streams that somebody asked for by name, and those of engines that share none: nothing moves there.
  std::set<int32_t> pinned;
  context.ForEachTask([&](const Node& node) {
    places[node.stream].insert(context.tasks.Position(node.id));
    if (!StreamLabelOf(node).empty() || context.engines.Of(node).independent) pinned.insert(node.stream);
  });
  context.ForEachTask([&](Node& node) {
    if (context.IsPinned(node) || context.engines.Of(node).independent) return;
    const auto before = context.tasks.Before(node.id);
    const auto after = context.tasks.After(node.id);
    int32_t other = -1;
    for (const auto& side : {before, after}) {
      for (const NodeId id : side) {
        const int32_t stream = context.graph.node(id).stream;
        if (stream == node.stream || (other >= 0 && stream != other)) return;
        other = stream;
      }
    }
    if (other < 0 || pinned.contains(other)) return;
    // Does the other stream work between the latest input and the earliest output?
    const uint32_t begin = before.empty() ? 0 : context.tasks.Position(before.back()) + 1;
    const uint32_t end = after.empty() ? static_cast<uint32_t>(context.order.size()) : context.tasks.Position(after.front());
    const auto working = places[other].lower_bound(begin);
    if (working != places[other].end() && *working < end) return;
    const uint32_t place = context.tasks.Position(node.id);
    places[node.stream].erase(place);
    places[other].insert(place);
    context.Set(node, other, "OptimizeIneffectiveMultiStream");
  });
}

}  // namespace atc
