#include "compiler/plan/conflicts.h"

#include <algorithm>
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
  std::vector<uint32_t> mine;
  for (uint32_t b = 0; b < lifetimes.count(); ++b) {
    const auto writers = lifetimes.Writers(b);
    mine.clear();
    for (size_t w = 0; w < writers.size(); ++w) {
      View& view = views[static_cast<size_t>(lifetimes.order().StreamOf(writers[w]))];
      for (; view.seen < b; ++view.seen) view.needed.push_back(view.seen);
      steps += view.needed.size();
      if (steps > most_steps) return std::nullopt;
      size_t kept = 0;
      for (const uint32_t a : view.needed) {
        const bool over = lifetimes.OverBefore(a, writers[w]);
        if (!over) mine.push_back(a);
        // What is over for the first writer is so for all tasks of its stream that are looked at later.
        if (!over || w > 0) view.needed[kept++] = a;
      }
      view.needed.resize(kept);
    }
    if (writers.size() > 1) {
      std::sort(mine.begin(), mine.end());
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    }
    for (const uint32_t a : mine) pairs.emplace_back(a, b);
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
