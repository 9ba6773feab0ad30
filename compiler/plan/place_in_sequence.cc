#include <algorithm>
#include <numeric>

#include "compiler/plan/placement.h"

namespace atc {
namespace {

struct Traits {
  int64_t size = 0;
  int64_t life = 0;       // launches from the first to the last that needs it
  int64_t conflicts = 0;  // bytes that must lie elsewhere
  int64_t peak = 0;       // bytes of the fullest launch that it is needed at
};

struct Strategy {
  const char* name;
  // Whether a comes before b; null: launch order.
  bool (*before)(const Traits& a, const Traits& b);
  Fit fit;
};

constexpr Strategy kStrategies[] = {
    {"size, first fit", [](const Traits& a, const Traits& b) { return a.size > b.size; }, Fit::kFirst},
    {"life and size, first fit",
     [](const Traits& a, const Traits& b) { return a.life != b.life ? a.life > b.life : a.size > b.size; },
     Fit::kFirst},
    {"fullest launch and size, first fit",
     [](const Traits& a, const Traits& b) { return a.peak != b.peak ? a.peak > b.peak : a.size > b.size; },
     Fit::kFirst},
    {"fullest launch and life, first fit",
     [](const Traits& a, const Traits& b) { return a.peak != b.peak ? a.peak > b.peak : a.life > b.life; },
     Fit::kFirst},
    {"size, best fit", [](const Traits& a, const Traits& b) { return a.size > b.size; }, Fit::kBest},
    {"launch order, best fit", nullptr, Fit::kBest},
    {"launch order, first fit", nullptr, Fit::kFirst},
    {"area, first fit",
     [](const Traits& a, const Traits& b) {
       return static_cast<double>(a.size) * static_cast<double>(a.life) >
              static_cast<double>(b.size) * static_cast<double>(b.life);
     },
     Fit::kFirst},
    {"conflicting bytes, first fit", [](const Traits& a, const Traits& b) { return a.conflicts > b.conflicts; },
     Fit::kFirst},
    {"size and life, best fit",
     [](const Traits& a, const Traits& b) { return a.size != b.size ? a.size > b.size : a.life > b.life; }, Fit::kBest},
};

// Bytes needed at each launch, and the most of them over ranges of launches.
class Fullness {
 public:
  explicit Fullness(const Lifetimes& lifetimes) {
    uint32_t launches = 0;
    for (size_t i = 0; i < lifetimes.count(); ++i) launches = std::max(launches, lifetimes.LastLaunch(i) + 1);
    std::vector<int64_t> change(launches + 1, 0);
    for (size_t i = 0; i < lifetimes.count(); ++i) {
      change[lifetimes.WriteLaunch(i)] += lifetimes.Size(i);
      change[lifetimes.LastLaunch(i) + 1] -= lifetimes.Size(i);
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    rows_.push_back(std::move(change));
    for (size_t width = 2; width <= rows_[0].size(); width *= 2) {
      const std::vector<int64_t>& half = rows_.back();
      std::vector<int64_t> row(rows_[0].size() - width + 1);
      for (size_t i = 0; i < row.size(); ++i) row[i] = std::max(half[i], half[i + width / 2]);
      rows_.push_back(std::move(row));
    }
  }

  int64_t Most(size_t first, size_t last) const {
    size_t level = 0;
    while (size_t{2} << level <= last - first + 1) ++level;
    return std::max(rows_[level][first], rows_[level][last + 1 - (size_t{1} << level)]);
  }

 private:
  std::vector<std::vector<int64_t>> rows_;  // by power of two
};

std::vector<Traits> FindTraits(const Lifetimes& lifetimes, const Conflicts& conflicts) {
  std::vector<Traits> all(lifetimes.count());
  const Fullness fullness(lifetimes);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].size = lifetimes.Size(i);
    all[i].life = int64_t{1} + lifetimes.LastLaunch(i) - lifetimes.WriteLaunch(i);
    all[i].peak = fullness.Most(lifetimes.WriteLaunch(i), lifetimes.LastLaunch(i));
    for (const uint32_t other : conflicts.With(i)) all[i].conflicts += lifetimes.Size(other);
  }
  return all;
}

}  // namespace

Placement PlaceInSequence(const Lifetimes& lifetimes, const Conflicts& conflicts, const std::vector<uint32_t>& sequence,
                          Fit fit) {
  Placement placement;
  placement.offset.assign(lifetimes.count(), -1);
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const uint32_t buffer : sequence) {
    taken.clear();
    for (const uint32_t other : conflicts.With(buffer)) {
      const int64_t offset = placement.offset[other];
      if (offset >= 0) taken.emplace_back(offset, offset + lifetimes.Size(other));
    }
    std::sort(taken.begin(), taken.end());
    const int64_t size = lifetimes.Size(buffer);
    int64_t at = 0;
    int64_t chosen = -1;
    int64_t chosen_gap = INT64_MAX;
    for (const auto& [begin, end] : taken) {
      const int64_t gap = begin - at;
      if (gap >= size && gap < chosen_gap) {
        chosen = at;
        chosen_gap = gap;
        if (fit == Fit::kFirst) break;
      }
      at = std::max(at, end);
    }
    if (chosen < 0) chosen = at;
    placement.offset[buffer] = chosen;
    placement.total = std::max(placement.total, chosen + size);
  }
  return placement;
}

Placement PlaceBySeveralSequences(const Lifetimes& lifetimes, const Conflicts& conflicts, int64_t lower_bound,
                                  size_t most_steps) {
  const std::vector<Traits> traits = FindTraits(lifetimes, conflicts);
  const size_t steps = 2 * conflicts.pairs() + lifetimes.count() + 1;
  Placement best;
  size_t done = 0;
  std::vector<uint32_t> sequence(lifetimes.count());
  for (const Strategy& strategy : kStrategies) {
    if (done > 0 && (best.total <= lower_bound || done + steps > most_steps)) break;
    done += steps;
    std::iota(sequence.begin(), sequence.end(), 0u);
    if (strategy.before != nullptr) {
      std::stable_sort(sequence.begin(), sequence.end(),
                       [&](uint32_t a, uint32_t b) { return strategy.before(traits[a], traits[b]); });
    }
    Placement found = PlaceInSequence(lifetimes, conflicts, sequence, strategy.fit);
    found.strategy = strategy.name;
    if (best.offset.empty() || found.total < best.total) best = std::move(found);
  }
  return best;
}

}  // namespace atc
