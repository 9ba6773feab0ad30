#include <algorithm>

#include "compiler/plan/conflicts.h"
#include "compiler/plan/placement.h"

namespace atc {
namespace {

// Looks at pairs of buffers: for finding conflicts, by graph and by buffer, and for the tries at placing. Large graphs,
// where pairs are many, get fewer tries or none.
constexpr size_t kFewestPairSteps = size_t{1} << 22;
constexpr size_t kPairStepsPerBuffer = 64;
constexpr size_t kMostPairSteps = 24'000'000;
// First fit looks at what lies in memory: where that is more than so many buffers, it is left.
constexpr size_t kFirstFitSteps = 512;
constexpr size_t kSequenceSteps = size_t{1} << 26;

// What is left above the bound is searched for where it may matter, in halves of the way down to it.
constexpr size_t kMostSearchedBuffers = 1000;
constexpr size_t kSearchSteps = size_t{1} << 25;
constexpr int kSearches = 4;
constexpr int64_t kWorthwhile = 100;  // parts of the bound: less than 1 % above it is good enough

Placement Smaller(Placement a, std::optional<Placement> b) { return b && b->total < a.total ? *std::move(b) : a; }

}  // namespace

Placement PlaceBuffers(const Lifetimes& lifetimes, int64_t lower_bound) {
  Placement best = PlaceInLaunchOrder(lifetimes);
  if (best.total <= lower_bound) return best;
  best = Smaller(std::move(best), PlaceFirstFit(lifetimes, kFirstFitSteps * lifetimes.count() + kFewestPairSteps));
  if (best.total <= lower_bound) return best;
  const auto conflicts =
      Conflicts::Find(lifetimes, std::clamp(kPairStepsPerBuffer * lifetimes.count(), kFewestPairSteps, kMostPairSteps));
  if (conflicts)
    best = Smaller(std::move(best), PlaceBySeveralSequences(lifetimes, *conflicts, lower_bound, kSequenceSteps));
  if (lifetimes.count() > kMostSearchedBuffers) return best;
  int64_t capacity = lower_bound;
  for (int i = 0; i < kSearches && best.total - lower_bound > lower_bound / kWorthwhile; ++i) {
    best = Smaller(std::move(best), PlaceBySearch(lifetimes, capacity, kSearchSteps));
    if (best.total <= capacity) break;
    capacity += (best.total - capacity) / 2;
  }
  return best;
}

}  // namespace atc
