#include <algorithm>
#include <bit>
#include <map>
#include <queue>
#include <set>
#include <span>

#include "compiler/plan/placement.h"

namespace atc {
namespace {

// How many gaps of a size class are looked at.
constexpr int kLooks = 8;
// Size classes: four to each power of two.
constexpr size_t kClasses = 64 * 4;
// A gap of the own stream that wastes no more than a part of this of itself is as good as any.
constexpr int64_t kGoodFit = 4;

// Bytes that nobody needs any more once some tasks are over. They are held by the stream of the last of these in launch
// order; other streams may take them when they know that all are over.
struct Gap {
  int64_t end = 0;
  int32_t stream = 0;
  uint64_t turn = 0;     // when it is looked at
  bool settled = false;  // all is over for every further task of the stream
  std::vector<StreamPoint> after;
};

size_t ClassOf(int64_t size) {
  const auto bits = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(size)));
  return bits < 3 ? 0 : (bits - 1) * 4 + ((static_cast<uint64_t>(size) >> (bits - 3)) & 3);
}

class Walk {
 public:
  explicit Walk(const Lifetimes& lifetimes)
      : lifetimes_(lifetimes),
        order_(lifetimes.order()),
        pools_(static_cast<size_t>(order_.num_streams())),
        by_turn_(order_.num_streams() > 1 ? kClasses : 0) {}

  Placement Run() {
    Placement placement;
    placement.strategy = "one walk of the launch order";
    placement.offset.assign(lifetimes_.count(), -1);
    std::vector<uint32_t> by_end(lifetimes_.count());
    for (uint32_t i = 0; i < by_end.size(); ++i) by_end[i] = i;
    std::sort(by_end.begin(), by_end.end(), [&](uint32_t a, uint32_t b) {
      const uint32_t x = lifetimes_.LastLaunch(a);
      const uint32_t y = lifetimes_.LastLaunch(b);
      return x != y ? x < y : a < b;
    });
    size_t ended = 0;
    for (uint32_t i = 0; i < lifetimes_.count(); ++i) {
      const uint32_t now = lifetimes_.WriteLaunch(i);
      for (; ended < by_end.size() && lifetimes_.LastLaunch(by_end[ended]) < now; ++ended) {
        const uint32_t over = by_end[ended];
        Release(placement.offset[over], placement.offset[over] + lifetimes_.Size(over), over);
      }
      const std::span<const NodeId> writers = lifetimes_.Writers(i);
      Settle(writers[0]);
      placement.offset[i] = Take(writers, lifetimes_.Size(i));
    }
    placement.total = top_;
    return placement;
  }

 private:
  using BySize = std::set<std::pair<int64_t, int64_t>>;  // size, begin

  // A gap that waits for a task of another stream.
  struct Waiting {
    int32_t position;
    int64_t begin;
    uint64_t made;  // tells a gap from a later one at the same place
    bool operator>(const Waiting& other) const {
      return position != other.position ? position > other.position : begin > other.begin;
    }
  };

  struct Pool {
    BySize settled;
    std::map<int32_t, std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>> waiting;  // by stream
    size_t clock = SIZE_MAX;
  };

  bool IsOver(const std::vector<StreamPoint>& after, std::span<const NodeId> writers) const {
    return std::all_of(after.begin(), after.end(), [&](const StreamPoint& p) {
      return std::all_of(writers.begin(), writers.end(),
                         [&](NodeId writer) { return order_.Over(writer, p.stream) > p.position; });
    });
  }

  void Insert(int64_t begin, Gap gap) {
    const int64_t size = gap.end - begin;
    if (gap.settled) pools_[static_cast<size_t>(gap.stream)].settled.emplace(size, begin);
    if (!by_turn_.empty()) {
      gap.turn = ++count_;
      by_turn_[ClassOf(size)].emplace(gap.turn, begin);
    }
    gaps_.emplace(begin, std::move(gap));
  }

  void Erase(std::map<int64_t, Gap>::iterator at) {
    const auto& [begin, gap] = *at;
    const int64_t size = gap.end - begin;
    if (gap.settled) pools_[static_cast<size_t>(gap.stream)].settled.erase({size, begin});
    if (!by_turn_.empty()) by_turn_[ClassOf(size)].erase(gap.turn);
    made_.erase(begin);
    gaps_.erase(at);
  }

  void Release(int64_t begin, int64_t end, uint32_t buffer) {
    const auto ends = lifetimes_.Ends(buffer);
    Gap gap;
    gap.end = end;
    gap.stream = ends[0].stream;
    gap.after.assign(ends.begin(), ends.end());
    const NodeId last = order_.TasksOf(gap.stream)[static_cast<size_t>(ends[0].position)];
    const StreamPoint* open = nullptr;
    for (const StreamPoint& p : ends.subspan(1)) {
      if (order_.Over(last, p.stream) <= p.position) open = &p;
    }
    gap.settled = open == nullptr;
    if (open != nullptr) {
      made_[begin] = ++count_;
      Pool& pool = pools_[static_cast<size_t>(gap.stream)];
      pool.waiting[open->stream].push({open->position, begin, count_});
      pool.clock = SIZE_MAX;  // the stream may have waited since
      Insert(begin, std::move(gap));
    } else {
      InsertJoined(begin, std::move(gap));
    }
  }

  // Joins settled gaps of one stream that touch.
  void InsertJoined(int64_t begin, Gap gap) {
    const auto joins = [&](const Gap& other) { return other.settled && other.stream == gap.stream; };
    const auto take_over = [&](Gap& other) {
      for (const StreamPoint& p : other.after) {
        const auto same = std::find_if(gap.after.begin(), gap.after.end(),
                                       [&](const StreamPoint& q) { return q.stream == p.stream; });
        if (same == gap.after.end()) {
          gap.after.push_back(p);
        } else {
          same->position = std::max(same->position, p.position);
        }
      }
    };
    auto next = gaps_.lower_bound(begin);
    if (next != gaps_.begin()) {
      const auto previous = std::prev(next);
      if (previous->second.end == begin && joins(previous->second)) {
        begin = previous->first;
        take_over(previous->second);
        Erase(previous);
      }
    }
    next = gaps_.lower_bound(begin);
    if (next != gaps_.end() && next->first == gap.end && joins(next->second)) {
      gap.end = next->second.end;
      take_over(next->second);
      Erase(next);
    }
    Insert(begin, std::move(gap));
  }

  // Settles what the stream of `task` had to wait for, as far as it is over by now.
  void Settle(NodeId task) {
    const int32_t stream = order_.StreamOf(task);
    Pool& pool = pools_[static_cast<size_t>(stream)];
    if (pool.clock == order_.ClockOf(task)) return;
    pool.clock = order_.ClockOf(task);
    for (auto& [other, heap] : pool.waiting) {
      while (!heap.empty() && heap.top().position < order_.Over(task, other)) {
        const Waiting ready = heap.top();
        heap.pop();
        const auto made = made_.find(ready.begin);
        if (made == made_.end() || made->second != ready.made) continue;  // another stream has taken it
        const auto at = gaps_.find(ready.begin);
        const StreamPoint* open = nullptr;
        for (const StreamPoint& p : at->second.after) {
          if (p.stream != stream && order_.Over(task, p.stream) <= p.position) open = &p;
        }
        if (open != nullptr) {
          pool.waiting[open->stream].push({open->position, ready.begin, ready.made});
          continue;
        }
        Gap gap = at->second;
        const int64_t begin = at->first;
        Erase(at);
        gap.settled = true;
        InsertJoined(begin, std::move(gap));
      }
    }
  }

  // A gap that is large enough and free for the writers, of the smallest size class where one is found; -1: none.
  int64_t NextInTurn(std::span<const NodeId> writers, int64_t size) {
    for (size_t c = ClassOf(size); c < by_turn_.size(); ++c) {
      std::map<uint64_t, int64_t>& turns = by_turn_[c];
      int looks = std::min(kLooks, static_cast<int>(turns.size()));
      for (auto at = turns.begin(); looks > 0; --looks) {
        const auto gap = gaps_.find(at->second);
        if (gap->second.end - gap->first >= size && IsOver(gap->second.after, writers)) return gap->first;
        // To the end of the line.
        gap->second.turn = ++count_;
        turns.emplace(gap->second.turn, gap->first);
        at = turns.erase(at);
      }
    }
    return -1;
  }

  int64_t Take(std::span<const NodeId> writers, int64_t size) {
    const BySize& own = pools_[static_cast<size_t>(order_.StreamOf(writers[0]))].settled;
    // What is settled for one stream may be open for the other ones that write.
    auto tightest = own.end();
    int looks = kLooks;
    for (auto at = own.lower_bound({size, 0}); at != own.end() && looks > 0; ++at, --looks) {
      if (writers.size() > 1 && !IsOver(gaps_.find(at->second)->second.after, writers)) continue;
      tightest = at;
      break;
    }
    int64_t begin = tightest == own.end() ? -1 : tightest->second;
    if (begin < 0 || tightest->first - size > tightest->first / kGoodFit) {
      const int64_t other = NextInTurn(writers, size);
      if (other >= 0) begin = other;
    }
    if (begin < 0) return TakeAtTop(writers, size);
    const auto at = gaps_.find(begin);
    Gap rest = at->second;
    Erase(at);
    if (begin + size < rest.end) PutBack(begin + size, std::move(rest));
    return begin;
  }

  void PutBack(int64_t begin, Gap gap) {
    if (!gap.settled) {
      made_[begin] = ++count_;
      const int32_t stream = gap.stream;
      // Any of the tasks will do: what is open is looked at again when it is over.
      const auto other =
          std::find_if(gap.after.begin(), gap.after.end(), [&](const StreamPoint& p) { return p.stream != stream; });
      pools_[static_cast<size_t>(stream)].waiting[other->stream].push({other->position, begin, count_});
    }
    Insert(begin, std::move(gap));
  }

  int64_t TakeAtTop(std::span<const NodeId> writers, int64_t size) {
    int64_t begin = top_;
    if (!gaps_.empty()) {
      const auto last = std::prev(gaps_.end());
      if (last->second.end == top_ && IsOver(last->second.after, writers)) {
        begin = last->first;
        Gap rest = last->second;
        Erase(last);
        if (begin + size < rest.end) PutBack(begin + size, std::move(rest));
      }
    }
    top_ = std::max(top_, begin + size);
    return begin;
  }

  const Lifetimes& lifetimes_;
  const HappensBefore& order_;
  std::vector<Pool> pools_;
  std::vector<std::map<uint64_t, int64_t>> by_turn_;  // by size class: where they begin
  std::map<int64_t, Gap> gaps_;                       // by where they begin
  std::map<int64_t, uint64_t> made_;                  // of gaps that are not settled
  uint64_t count_ = 0;
  int64_t top_ = 0;
};

}  // namespace

Placement PlaceInLaunchOrder(const Lifetimes& lifetimes) { return Walk(lifetimes).Run(); }

}  // namespace atc
