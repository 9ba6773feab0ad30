#include "compiler/ir/origin.h"

#include <algorithm>

namespace atc {

OriginId OriginTable::Leaf(std::string_view source) {
  const auto it = leaves_.find(source);
  if (it != leaves_.end()) return it->second;
  const auto id = static_cast<OriginId>(entries_.size());
  entries_.push_back({std::string(source), kNoOrigin, kNoOrigin});
  leaves_.emplace(source, id);
  return id;
}

OriginId OriginTable::Union(OriginId a, OriginId b) {
  if (a == b || b == kNoOrigin) return a;
  if (a == kNoOrigin) return b;
  if (a > b) std::swap(a, b);
  const auto [it, added] = unions_.try_emplace({a, b}, static_cast<OriginId>(entries_.size()));
  if (added) entries_.push_back({"", a, b});
  return it->second;
}

std::vector<std::string> OriginTable::Flatten(OriginId id) const {
  std::vector<std::string> names;
  if (id == kNoOrigin) return names;
  // A union has a greater number than its parts: taken from the greatest on, each is met once, however often it is named.
  std::vector<OriginId> open = {id};
  for (OriginId last = kNoOrigin; !open.empty();) {
    std::pop_heap(open.begin(), open.end());
    const OriginId at = open.back();
    open.pop_back();
    if (at == last) continue;
    last = at;
    const Entry& entry = entries_[at];
    if (entry.a == kNoOrigin) {
      names.push_back(entry.leaf);
      continue;
    }
    for (const OriginId part : {entry.a, entry.b}) {
      open.push_back(part);
      std::push_heap(open.begin(), open.end());
    }
  }
  std::reverse(names.begin(), names.end());  // leaves are numbered as the parser meets them
  return names;
}

}  // namespace atc
