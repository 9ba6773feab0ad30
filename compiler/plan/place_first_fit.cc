// First fit in launch order: a buffer is placed when it is written, at the lowest offset whose bytes nobody needs by
// then, whoever had them. Only the last one to hold a byte matters: whoever had it before was over when that one was
// written. Neighbours join where the writer knows that all are over, which the walk by gaps does not see.
#include <algorithm>

#include "compiler/plan/placement.h"

namespace atc {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

// Bytes by their last holder; from the ground up, each leads to the next.
struct Segment {
  int64_t end = 0;
  uint32_t next = kNone;
  uint32_t holder = kNone;
  StreamPoint last{0, 0};  // of the holder's ends the one to look at first
  bool several = false;    // it has more ends
};

class FirstFit {
 public:
  FirstFit(const Lifetimes& lifetimes, size_t most_steps) : lifetimes_(lifetimes), steps_left_(most_steps) {}

  std::optional<Placement> Run() {
    Placement placement;
    placement.strategy = "first fit in launch order";
    placement.offset.assign(lifetimes_.count(), -1);
    for (uint32_t i = 0; i < lifetimes_.count(); ++i) {
      const int64_t offset = Place(i);
      if (offset < 0) return std::nullopt;
      placement.offset[i] = offset;
      placement.total = std::max(placement.total, offset + lifetimes_.Size(i));
    }
    return placement;
  }

 private:
  bool IsOver(const Segment& segment, std::span<const NodeId> writers) const {
    if (lifetimes_.order().Over(writers[0], segment.last.stream) <= segment.last.position) return false;
    if (!segment.several && writers.size() == 1) return true;
    return std::all_of(writers.begin(), writers.end(),
                       [&](NodeId writer) { return lifetimes_.OverBefore(segment.holder, writer); });
  }

  // -1 when it takes too long.
  int64_t Place(uint32_t buffer) {
    const std::span<const NodeId> writers = lifetimes_.Writers(buffer);
    const int64_t size = lifetimes_.Size(buffer);
    uint32_t below = kNone;  // what the run rests on
    uint32_t at = first_;
    int64_t begin = 0;
    int64_t end = 0;
    while (at != kNone && end - begin < size) {
      if (steps_left_-- == 0) return -1;
      const Segment& segment = segments_[at];
      end = segment.end;
      if (!IsOver(segment, writers)) {
        below = at;
        begin = end;
      }
      at = segment.next;
    }
    Take(below, begin + size, buffer);
    return begin;
  }

  // Gives the bytes from the end of `below` to `end` to the buffer.
  void Take(uint32_t below, int64_t end, uint32_t buffer) {
    uint32_t above = below == kNone ? first_ : segments_[below].next;
    while (above != kNone && segments_[above].end <= end) {
      free_.push_back(above);
      above = segments_[above].next;
    }
    uint32_t mine = static_cast<uint32_t>(segments_.size());
    if (free_.empty()) {
      segments_.emplace_back();
    } else {
      mine = free_.back();
      free_.pop_back();
    }
    const auto ends = lifetimes_.Ends(buffer);
    segments_[mine] = {end, above, buffer, ends[0], ends.size() > 1};
    (below == kNone ? first_ : segments_[below].next) = mine;
  }

  const Lifetimes& lifetimes_;
  size_t steps_left_;
  std::vector<Segment> segments_;
  std::vector<uint32_t> free_;
  uint32_t first_ = kNone;
};

}  // namespace

std::optional<Placement> PlaceFirstFit(const Lifetimes& lifetimes, size_t most_steps) {
  return FirstFit(lifetimes, most_steps).Run();
}

}  // namespace atc
