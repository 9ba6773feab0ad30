#include "compiler/ir/origin.h"

#include <algorithm>
#include <set>

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
  if (id == kNoOrigin) return {};
  if (entries_[id].a == kNoOrigin) return {entries_[id].leaf};
  std::set<OriginId> seen;
  std::vector<OriginId> leaves;
  std::vector<OriginId> stack = {id};
  while (!stack.empty()) {
    const OriginId at = stack.back();
    stack.pop_back();
    if (at == kNoOrigin || !seen.insert(at).second) continue;
    const Entry& entry = entries_[at];
    if (entry.a == kNoOrigin) {
      leaves.push_back(at);
    } else {
      stack.push_back(entry.a);
      stack.push_back(entry.b);
    }
  }
  std::sort(leaves.begin(), leaves.end());  // leaves are numbered as the parser meets them
  std::vector<std::string> names;
  for (const OriginId leaf : leaves) names.push_back(entries_[leaf].leaf);
  return names;
}

}  // namespace atc
