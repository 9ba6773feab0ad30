// A search for a placement within a given size, for buffers of one stream, whose lives are intervals.
//
// Any placement can be pushed down until each buffer rests on another one or on the ground, and can then be built in
// order of offsets. So buffers are placed from the ground up, each on what lies below, no offset smaller than the one
// before. A branch ends where some launch cannot hold what it still needs: whatever is not placed yet starts at the
// last offset or above. Parts of time that no open buffer joins are placed one by one.
#include <algorithm>
#include <numeric>

#include "compiler/plan/placement.h"

namespace atc {
namespace {

// In which order buffers that could be next are tried, where their offsets are equal: the fullest launch they are
// needed at (T), the length of their life in launches (W) or in writes (S), and size times length (A, B).
constexpr const char* kOrders[] = {"TWA", "BTS", "TSB", "WTA", "STB", "TAW", "TBS", "ATW"};

// The first tries of an order are short; each round has so many times the steps of the one before.
constexpr size_t kFirstSteps = size_t{1} << 20;
constexpr size_t kStepFactor = 8;

struct Item {
  uint32_t first = 0, end = 0;  // sections: times between which the set of needed buffers does not change
  int64_t size = 0;
  uint32_t rank = 0;  // in the order that is tried
};

using Open = std::vector<uint32_t>;  // items that are not placed, by their first section

class Search {
 public:
  Search(const std::vector<Item>& items, std::vector<int64_t> needed, int64_t capacity, size_t most_steps)
      : items_(items),
        capacity_(capacity),
        steps_left_(static_cast<int64_t>(most_steps)),
        floor_(needed.size(), 0),
        needed_(std::move(needed)),
        offset_(items.size(), 0) {}

  bool Run() {
    Open all(items_.size());
    std::iota(all.begin(), all.end(), 0u);
    return Place(all, 0);
  }
  bool GaveUp() const { return steps_left_ < 0; }
  size_t StepsLeft() const { return static_cast<size_t>(std::max<int64_t>(steps_left_, 0)); }
  std::vector<int64_t> TakeOffsets() { return std::move(offset_); }

 private:
  bool Place(const Open& open, int64_t from) {
    std::vector<Open> parts;
    uint32_t reached = 0;
    for (const uint32_t item : open) {
      if (parts.empty() || items_[item].first >= reached) parts.emplace_back();
      parts.back().push_back(item);
      reached = std::max(reached, items_[item].end);
    }
    if (parts.size() <= 1) return open.empty() || PlacePart(open, from);
    // Small parts fail soonest.
    std::stable_sort(parts.begin(), parts.end(), [](const Open& a, const Open& b) { return a.size() < b.size(); });
    const uint32_t begin = items_[open.front()].first;
    const std::vector<int64_t> floor(floor_.begin() + begin, floor_.begin() + reached);
    const std::vector<int64_t> needed(needed_.begin() + begin, needed_.begin() + reached);
    for (const Open& part : parts) {
      if (PlacePart(part, from)) continue;
      std::copy(floor.begin(), floor.end(), floor_.begin() + begin);
      std::copy(needed.begin(), needed.end(), needed_.begin() + begin);
      return false;
    }
    return true;
  }

  bool PlacePart(const Open& open, int64_t from) {
    const uint32_t begin = items_[open.front()].first;
    uint32_t end = begin;
    int64_t lowest_top = INT64_MAX;
    std::vector<int64_t> rest(open.size());  // what each would lie on
    for (size_t k = 0; k < open.size(); ++k) {
      const Item& item = items_[open[k]];
      rest[k] = *std::max_element(floor_.begin() + item.first, floor_.begin() + item.end);
      lowest_top = std::min(lowest_top, std::max(rest[k], from) + item.size);
      end = std::max(end, item.end);
      steps_left_ -= item.end - item.first;
    }
    if (steps_left_ < 0) return false;
    // Where the bytes that are still needed can begin at each section.
    std::vector<int64_t> lowest(end - begin, INT64_MAX);
    for (size_t k = 0; k < open.size(); ++k) {
      const Item& item = items_[open[k]];
      for (uint32_t s = item.first; s < item.end; ++s)
        lowest[s - begin] = std::min(lowest[s - begin], std::max(rest[k], from));
    }
    for (uint32_t s = begin; s < end; ++s) {
      if (lowest[s - begin] != INT64_MAX && lowest[s - begin] + needed_[s] > capacity_) return false;
    }
    // What starts at the end of another open one or above need not come next.
    std::vector<size_t> next;
    for (size_t k = 0; k < open.size(); ++k) {
      if (rest[k] >= from && rest[k] < lowest_top) next.push_back(k);
    }
    std::sort(next.begin(), next.end(), [&](size_t a, size_t b) {
      return rest[a] != rest[b] ? rest[a] < rest[b] : items_[open[a]].rank < items_[open[b]].rank;
    });
    for (const size_t k : next) {
      if (Try(open, k, rest[k])) return true;
      if (steps_left_ < 0) return false;
    }
    return false;
  }

  bool Try(const Open& open, size_t k, int64_t offset) {
    const Item& item = items_[open[k]];
    const std::vector<int64_t> floor(floor_.begin() + item.first, floor_.begin() + item.end);
    bool fits = true;
    for (uint32_t s = item.first; s < item.end; ++s) {
      needed_[s] -= item.size;
      floor_[s] = offset + item.size;
      fits = fits && floor_[s] + needed_[s] <= capacity_;
    }
    if (fits) {
      offset_[open[k]] = offset;
      Open others = open;
      others.erase(others.begin() + static_cast<ptrdiff_t>(k));
      if (Place(others, offset)) return true;
    }
    for (uint32_t s = item.first; s < item.end; ++s) needed_[s] += item.size;
    std::copy(floor.begin(), floor.end(), floor_.begin() + item.first);
    return false;
  }

  const std::vector<Item>& items_;
  const int64_t capacity_;
  int64_t steps_left_;
  std::vector<int64_t> floor_;   // by section: where what is placed ends
  std::vector<int64_t> needed_;  // by section: bytes of open items
  std::vector<int64_t> offset_;
};

// Items in order of their first section; `needed` gets the bytes of each section.
std::vector<Item> Items(const Lifetimes& lifetimes, std::vector<int64_t>* needed) {
  std::vector<uint32_t> times;
  for (size_t i = 0; i < lifetimes.count(); ++i) times.push_back(lifetimes.WriteLaunch(i));
  times.erase(std::unique(times.begin(), times.end()), times.end());  // buffers are in launch order
  needed->assign(times.size(), 0);
  std::vector<Item> items(lifetimes.count());
  for (size_t i = 0; i < items.size(); ++i) {
    const auto section = [&](uint32_t launch) {
      return static_cast<uint32_t>(std::lower_bound(times.begin(), times.end(), launch) - times.begin());
    };
    items[i] = {section(lifetimes.WriteLaunch(i)), section(lifetimes.LastLaunch(i) + 1), lifetimes.Size(i), 0};
    for (uint32_t s = items[i].first; s < items[i].end; ++s) (*needed)[s] += items[i].size;
  }
  return items;
}

void Rank(const Lifetimes& lifetimes, const std::vector<int64_t>& needed, const char* order, std::vector<Item>* items) {
  std::vector<uint32_t> sequence(items->size());
  std::iota(sequence.begin(), sequence.end(), 0u);
  const auto trait = [&](char what, uint32_t i) -> int64_t {
    const Item& item = (*items)[i];
    const int64_t life = int64_t{lifetimes.LastLaunch(i)} - lifetimes.WriteLaunch(i) + 1;
    const int64_t sections = item.end - item.first;
    switch (what) {
      case 'T': return *std::max_element(needed.begin() + item.first, needed.begin() + item.end);
      case 'W': return life;
      case 'S': return sections;
      case 'B': return sections * item.size;
      default: return life * item.size;
    }
  };
  for (const char* what = order + 3; what-- > order;) {
    std::vector<int64_t> key(items->size());
    for (uint32_t i = 0; i < key.size(); ++i) key[i] = trait(*what, i);
    std::stable_sort(sequence.begin(), sequence.end(), [&](uint32_t a, uint32_t b) { return key[a] > key[b]; });
  }
  for (uint32_t i = 0; i < sequence.size(); ++i) (*items)[sequence[i]].rank = i;
}

}  // namespace

std::optional<Placement> PlaceBySearch(const Lifetimes& lifetimes, int64_t capacity, size_t most_steps) {
  if (lifetimes.order().num_streams() > 1 || lifetimes.count() == 0) return std::nullopt;
  std::vector<int64_t> needed;
  std::vector<Item> items = Items(lifetimes, &needed);
  for (size_t steps = kFirstSteps; most_steps > 0; steps *= kStepFactor) {
    for (const char* order : kOrders) {
      const size_t given = std::min(steps, most_steps);
      Rank(lifetimes, needed, order, &items);
      Search search(items, needed, capacity, given);
      if (search.Run()) {
        Placement found;
        found.offset = search.TakeOffsets();
        for (size_t i = 0; i < found.offset.size(); ++i)
          found.total = std::max(found.total, found.offset[i] + lifetimes.Size(i));
        found.strategy = std::string("search from the ground up, ") + order;
        return found;
      }
      if (!search.GaveUp()) return std::nullopt;  // there is none
      most_steps -= given;
      if (most_steps == 0) break;
    }
  }
  return std::nullopt;
}

}  // namespace atc
