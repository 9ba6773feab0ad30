// Where a node comes from: a set of source nodes, kept as a hash-consed union and flattened on demand.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atc {

using OriginId = uint32_t;
inline constexpr OriginId kNoOrigin = 0;

class OriginTable {
 public:
  OriginTable() { entries_.emplace_back(); }

  // A source node by its name (for what the compiler or a plugin makes out of nothing: the maker's name).
  OriginId Leaf(std::string_view source);
  // The union of both; kNoOrigin is neutral.
  OriginId Union(OriginId a, OriginId b);
  // Names in order of first mention in the source, each once.
  std::vector<std::string> Flatten(OriginId id) const;

 private:
  struct Entry {
    std::string leaf;  // set for leaves
    OriginId a = kNoOrigin;
    OriginId b = kNoOrigin;
  };
  std::vector<Entry> entries_;
  std::map<std::string, OriginId, std::less<>> leaves_;
  std::map<std::pair<OriginId, OriginId>, OriginId> unions_;
};

}  // namespace atc
