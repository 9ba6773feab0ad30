#include <map>

#include "compiler/streams/stream_passes.h"

namespace atc {

void AssignAttachedStream(StreamContext& context) {
  std::map<std::string, int64_t> streams;
  context.ForEachTask([&](Node& node) {
    const auto* keys = node.attrs.FindAs<std::vector<std::string>>(kAttachedStreamKeys);
    if (keys == nullptr || keys->empty()) return;
    std::vector<int64_t> ids;
    for (const std::string& key : *keys) {
      const auto [it, added] = streams.try_emplace(key, context.next_stream);
      context.next_stream += added;
      ids.push_back(it->second);
    }
    node.attrs.Set(kAttachedStreamIds, std::move(ids));
  });
}

}  // namespace atc
