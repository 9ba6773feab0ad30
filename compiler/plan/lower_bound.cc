#include "compiler/plan/lower_bound.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

namespace atc {
namespace {

// How many parts of a large graph are looked at, from its begin to its end.
constexpr size_t kParts = 4;

// The most bytes needed at one launch. On one stream that is exact: intervals that meet in pairs all meet at one point.
int64_t MostAtOneLaunch(const Lifetimes& lifetimes) {
  uint32_t launches = 0;
  for (size_t i = 0; i < lifetimes.count(); ++i) launches = std::max(launches, lifetimes.LastLaunch(i) + 1);
  std::vector<int64_t> change(size_t{launches} + 1, 0);
  for (size_t i = 0; i < lifetimes.count(); ++i) {
    change[lifetimes.WriteLaunch(i)] += lifetimes.Size(i);
    change[lifetimes.LastLaunch(i) + 1] -= lifetimes.Size(i);
  }
  int64_t needed = 0;
  int64_t most = 0;
  for (const int64_t delta : change) most = std::max(most, needed += delta);
  return most;
}

// Bytes of buffers handed on to buffers written later: each gives its bytes and takes its bytes at most once. A buffer
// may take from another when its writer's position on its stream is no smaller than the first one at which the other is
// over, so the givers of each stream stand in the order of these positions and a taker may use a prefix of them; where
// several streams write to it, those of the prefix that are over for all of them.
class HandingOn {
 public:
  HandingOn(const Lifetimes& lifetimes, size_t most_steps)
      : lifetimes_(lifetimes),
        steps_left_(static_cast<int64_t>(std::min<size_t>(most_steps, std::numeric_limits<int64_t>::max()))),
        spare_(lifetimes.count()),
        lacking_(lifetimes.count()),
        given_(lifetimes.count()) {
    for (uint32_t i = 0; i < lifetimes.count(); ++i) spare_[i] = lacking_[i] = lifetimes.Size(i);
    FindGivers();
  }

  // All bytes that can be handed on; nothing when the search takes too long.
  std::optional<int64_t> Run() {
    TakeNearest();
    while (Improve()) {
      if (steps_left_ < 0) return std::nullopt;
    }
    return handed_;
  }

 private:
  struct Giver {
    int32_t position;  // of the stream's first task at which it is over
    uint32_t buffer;
  };

  void FindGivers() {
    const HappensBefore& order = lifetimes_.order();
    givers_.resize(static_cast<size_t>(order.num_streams()));
    for (size_t s = 0; s < givers_.size(); ++s) {
      const std::vector<NodeId>& tasks = order.TasksOf(static_cast<int32_t>(s));
      for (uint32_t i = 0; i < lifetimes_.count(); ++i) {
        const auto first = std::partition_point(tasks.begin(), tasks.end(),
                                                [&](NodeId task) { return !lifetimes_.OverBefore(i, task); });
        if (first == tasks.end()) continue;
        givers_[s].push_back({static_cast<int32_t>(first - tasks.begin()), i});
      }
      std::stable_sort(givers_[s].begin(), givers_[s].end(),
                       [](const Giver& a, const Giver& b) { return a.position < b.position; });
    }
  }

  size_t StreamOf(uint32_t taker) const {
    return static_cast<size_t>(lifetimes_.order().StreamOf(lifetimes_.Writer(taker)));
  }
  int32_t PositionOf(uint32_t taker) const { return lifetimes_.order().PositionInStream(lifetimes_.Writer(taker)); }

  bool MayTake(uint32_t taker, uint32_t giver) const {
    return lifetimes_.Writers(taker).size() == 1 || lifetimes_.OverBeforeBuffer(giver, taker);
  }

  void Hand(uint32_t giver, uint32_t taker, int64_t bytes) {
    given_[giver][taker] += bytes;
    if (given_[giver][taker] == 0) given_[giver].erase(taker);
  }

  // Each buffer, in launch order, takes from those that were over last.
  void TakeNearest() {
    std::vector<std::vector<uint32_t>> open(givers_.size());
    std::vector<size_t> next(givers_.size(), 0);
    for (uint32_t taker = 0; taker < lifetimes_.count(); ++taker) {
      const size_t s = StreamOf(taker);
      for (; next[s] < givers_[s].size() && givers_[s][next[s]].position <= PositionOf(taker); ++next[s]) {
        open[s].push_back(givers_[s][next[s]].buffer);
      }
      while (lacking_[taker] > 0 && !open[s].empty() && MayTake(taker, open[s].back())) {
        const uint32_t giver = open[s].back();
        const int64_t bytes = std::min(spare_[giver], lacking_[taker]);
        if (bytes > 0) Hand(giver, taker, bytes);
        spare_[giver] -= bytes;
        lacking_[taker] -= bytes;
        handed_ += bytes;
        if (spare_[giver] == 0) open[s].pop_back();
      }
    }
  }

  // Looks from all takers that lack bytes for givers that have some to spare, breadth first: a taker may use a giver
  // whose bytes are all given if one who has them finds others. False when there is no way left.
  bool Improve() {
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> taker_of(lifetimes_.count(), kNone);  // by giver: who looked at it
    std::vector<uint32_t> giver_of(lifetimes_.count(), kNone);  // by taker: whose bytes it could return
    std::vector<bool> seen(lifetimes_.count(), false);          // takers
    std::vector<size_t> looked(givers_.size(), 0);              // givers of each stream
    std::vector<uint32_t> open;
    std::vector<uint32_t> found;
    for (uint32_t taker = 0; taker < lifetimes_.count(); ++taker) {
      if (lacking_[taker] == 0) continue;
      seen[taker] = true;
      open.push_back(taker);
    }
    for (size_t i = 0; i < open.size(); ++i) {
      const uint32_t taker = open[i];
      const size_t s = StreamOf(taker);
      // What one taker has looked at need not be looked at again for others of its stream, if it could take all.
      const bool by_itself = lifetimes_.Writers(taker).size() > 1;
      size_t own = 0;
      for (size_t& at = by_itself ? own : looked[s]; at < givers_[s].size() && givers_[s][at].position <= PositionOf(taker);
           ++at) {
        --steps_left_;
        const uint32_t giver = givers_[s][at].buffer;
        if (taker_of[giver] != kNone || !MayTake(taker, giver)) continue;
        taker_of[giver] = taker;
        if (spare_[giver] > 0) found.push_back(giver);
        for (const auto& [other, bytes] : given_[giver]) {
          --steps_left_;
          if (seen[other]) continue;
          seen[other] = true;
          giver_of[other] = giver;
          open.push_back(other);
        }
      }
    }
    bool improved = false;
    for (const uint32_t last : found) {
      // The bytes that can go all the way, if earlier ways have left any.
      int64_t bytes = spare_[last];
      uint32_t taker = taker_of[last];
      for (; giver_of[taker] != kNone; taker = taker_of[giver_of[taker]]) {
        const auto& given = given_[giver_of[taker]];
        const auto it = given.find(taker);
        bytes = std::min(bytes, it == given.end() ? 0 : it->second);
        --steps_left_;
      }
      bytes = std::min(bytes, lacking_[taker]);
      if (bytes == 0) continue;
      improved = true;
      spare_[last] -= bytes;
      lacking_[taker] -= bytes;
      handed_ += bytes;
      uint32_t giver = last;
      for (taker = taker_of[last];; taker = taker_of[giver]) {
        Hand(giver, taker, bytes);
        if (giver_of[taker] == kNone) break;
        giver = giver_of[taker];
        Hand(giver, taker, -bytes);
      }
    }
    return improved;
  }

  const Lifetimes& lifetimes_;
  int64_t steps_left_;
  std::vector<int64_t> spare_;    // bytes that a buffer may still give
  std::vector<int64_t> lacking_;  // bytes that it may still take
  std::vector<std::map<uint32_t, int64_t>> given_;
  std::vector<std::vector<Giver>> givers_;  // by stream
  int64_t handed_ = 0;
};

// Of buffers of which no two may share bytes; nothing when the search takes too long.
std::optional<int64_t> HeaviestSet(const Lifetimes& lifetimes, size_t most_steps) {
  const std::optional<int64_t> handed = HandingOn(lifetimes, most_steps).Run();
  if (!handed) return std::nullopt;
  int64_t all = 0;
  for (size_t i = 0; i < lifetimes.count(); ++i) all += lifetimes.Size(i);
  return all - *handed;
}

}  // namespace

LowerBound FindLowerBound(const Lifetimes& lifetimes, size_t most_steps) {
  const LowerBound sweep{MostAtOneLaunch(lifetimes), lifetimes.order().num_streams() <= 1};
  if (sweep.exact) return sweep;
  if (lifetimes.count() <= kExactBoundBuffers) {
    const auto heaviest = HeaviestSet(lifetimes, most_steps);
    return heaviest ? LowerBound{*heaviest, true} : sweep;
  }
  LowerBound best = sweep;
  for (size_t part = 0; part < kParts; ++part) {
    const size_t first = (lifetimes.count() - kExactBoundBuffers) * part / (kParts - 1);
    const auto heaviest = HeaviestSet(lifetimes.Part(first, kExactBoundBuffers), most_steps / kParts);
    best.bytes = std::max(best.bytes, heaviest.value_or(0));
  }
  return best;
}

}  // namespace atc
