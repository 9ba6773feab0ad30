#include "compiler/streams/path_cover.h"

namespace atc {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class Matching {
 public:
  explicit Matching(const std::vector<std::vector<uint32_t>>& after)
      : after_(after), next_(after.size(), kNone), before_(after.size(), kNone), level_(after.size()), tried_(after.size()) {
    for (uint32_t from = 0; from < after.size(); ++from) {
      for (const uint32_t to : after[from]) {
        if (before_[to] != kNone) continue;
        Match(from, to);
        break;
      }
    }
    while (FindLevels()) {
      tried_.assign(after.size(), 0);
      for (uint32_t from = 0; from < after.size(); ++from) {
        if (next_[from] == kNone) Augment(from);
      }
    }
  }

  uint32_t Next(uint32_t node) const { return next_[node]; }
  bool IsFirst(uint32_t node) const { return before_[node] == kNone; }

 private:
  void Match(uint32_t from, uint32_t to) {
    next_[from] = to;
    before_[to] = from;
  }

  // Levels of senders over alternating paths from the unmatched ones; false when no receiver is free on any.
  bool FindLevels() {
    std::vector<uint32_t> open;
    level_.assign(after_.size(), kNone);
    for (uint32_t from = 0; from < after_.size(); ++from) {
      if (next_[from] != kNone) continue;
      level_[from] = 0;
      open.push_back(from);
    }
    bool found = false;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const uint32_t to : after_[open[i]]) {
        const uint32_t holder = before_[to];
        if (holder == kNone) {
          found = true;
        } else if (level_[holder] == kNone) {
          level_[holder] = level_[open[i]] + 1;
          open.push_back(holder);
        }
      }
    }
    return found;
  }

  // Depth first along the levels, without recursion: paths may be as long as the graph.
  void Augment(uint32_t start) {
    std::vector<uint32_t> path = {start};
    while (!path.empty()) {
      const uint32_t from = path.back();
      if (tried_[from] == after_[from].size()) {
        path.pop_back();
        if (!path.empty()) ++tried_[path.back()];
        continue;
      }
      const uint32_t holder = before_[after_[from][tried_[from]]];
      if (holder == kNone) {
        // Each sender on the path takes the receiver it looks at, from the end on.
        for (std::size_t i = path.size(); i-- > 0;) Match(path[i], after_[path[i]][tried_[path[i]]]);
        for (const uint32_t on_path : path) ++tried_[on_path];
        return;
      }
      if (level_[holder] == level_[from] + 1) {
        path.push_back(holder);
      } else {
        ++tried_[from];
      }
    }
  }

  const std::vector<std::vector<uint32_t>>& after_;
  std::vector<uint32_t> next_, before_, level_;
  std::vector<std::size_t> tried_;  // how many edges of a sender this round has tried
};

}  // namespace

std::vector<std::vector<uint32_t>> MinimumPathCover(const std::vector<std::vector<uint32_t>>& after) {
  const Matching matching(after);
  std::vector<std::vector<uint32_t>> paths;
  for (uint32_t first = 0; first < after.size(); ++first) {
    if (!matching.IsFirst(first)) continue;
    std::vector<uint32_t>& path = paths.emplace_back();
    for (uint32_t at = first; at != kNone; at = matching.Next(at)) path.push_back(at);
  }
  return paths;
}

}  // namespace atc
