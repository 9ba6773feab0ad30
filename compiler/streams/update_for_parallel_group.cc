#include <map>
#include <utility>

#include "compiler/ir/stream_label.h"
#include "compiler/streams/stream_passes.h"

namespace atc {
namespace {

// The group that leaves its nodes where their input comes from.
constexpr const char* kNoGroup = "-1";

}  // namespace

void UpdateForParallelGroup(StreamContext& context) {
  std::map<std::pair<int32_t, std::string>, int32_t> streams;
  context.ForEachTask([&](Node& node) {
    const std::string group = node.attrs.Get<std::string>(kParallelGroup, "");
    if (group.empty() || node.stream < 0 || !node.attrs.Get<std::string>(kUserStreamLabel, "").empty()) return;
    if (group == kNoGroup) {
      const auto before = context.tasks.Before(node.id);
      if (before.size() != 1) return;
      const Node& producer = context.graph.node(before[0]);
      context.Set(node, producer.stream, "UpdateForParallelGroup: follows " + producer.name);
      return;
    }
    const auto [it, added] = streams.try_emplace({node.stream, group}, context.next_stream);
    context.next_stream += added;
    context.Set(node, it->second, "UpdateForParallelGroup: " + group);
  });
}

}  // namespace atc
