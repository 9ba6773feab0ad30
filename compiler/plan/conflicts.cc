#include "compiler/plan/conflicts.h"

#include <utility>

namespace atc {

std::optional<Conflicts> Conflicts::Find(const Lifetimes& lifetimes, size_t most_steps) {
  // By stream: the buffers written so far that may still be needed when its next task starts.
  struct View {
    std::vector<uint32_t> needed;
    uint32_t seen = 0;  // buffers below this number have been looked at
  };
  std::vector<View> views(static_cast<size_t>(lifetimes.order().num_streams()));
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  size_t steps = 0;
  for (uint32_t b = 0; b < lifetimes.count(); ++b) {
    const NodeId writer = lifetimes.Writer(b);
    View& view = views[static_cast<size_t>(lifetimes.order().StreamOf(writer))];
    for (; view.seen < b; ++view.seen) view.needed.push_back(view.seen);
    steps += view.needed.size();
    if (steps > most_steps) return std::nullopt;
    size_t kept = 0;
    for (const uint32_t a : view.needed) {
      if (lifetimes.OverBefore(a, writer)) continue;  // and for all later tasks of the stream
      view.needed[kept++] = a;
      pairs.emplace_back(a, b);
    }
    view.needed.resize(kept);
  }
  Conflicts found;
  found.first_.assign(lifetimes.count() + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++found.first_[a + 1];
    ++found.first_[b + 1];
  }
  for (size_t i = 1; i < found.first_.size(); ++i) found.first_[i] += found.first_[i - 1];
  found.with_.resize(found.first_.back());
  std::vector<size_t> next(found.first_.begin(), found.first_.end() - 1);
  // In this order each list comes out sorted: the smaller partners of a buffer before the larger ones.
  for (const auto& [a, b] : pairs) {
    found.with_[next[b]++] = a;
    found.with_[next[a]++] = b;
  }
  return found;
}

}  // namespace atc
