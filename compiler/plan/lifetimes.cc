#include "compiler/plan/lifetimes.h"

#include <algorithm>

namespace atc {

void Lifetimes::Add(int64_t size, NodeId writer, std::span<const NodeId> users) {
  size_.push_back(size);
  writer_.push_back(writer);
  std::vector<NodeId> last(users.begin(), users.end());
  last.push_back(writer);
  // Of each stream the last one.
  std::sort(last.begin(), last.end(), [&](NodeId a, NodeId b) {
    const int32_t s = order_.StreamOf(a);
    const int32_t t = order_.StreamOf(b);
    return s != t ? s < t : order_.PositionInStream(a) > order_.PositionInStream(b);
  });
  last.erase(std::unique(last.begin(), last.end(),
                         [&](NodeId a, NodeId b) { return order_.StreamOf(a) == order_.StreamOf(b); }),
             last.end());
  std::sort(last.begin(), last.end(), [&](NodeId a, NodeId b) { return order_.Launch(a) > order_.Launch(b); });
  std::vector<NodeId> kept;
  for (const NodeId task : last) {
    if (std::any_of(kept.begin(), kept.end(), [&](NodeId later) { return order_.Before(task, later); })) continue;
    kept.push_back(task);
    ends_.push_back({order_.StreamOf(task), order_.PositionInStream(task)});
  }
  first_end_.push_back(ends_.size());
}

Lifetimes Lifetimes::Part(size_t first, size_t count) const {
  Lifetimes part(order_);
  const auto copy = [](const auto& from, size_t begin, size_t end, auto* to) {
    to->assign(from.begin() + static_cast<ptrdiff_t>(begin), from.begin() + static_cast<ptrdiff_t>(end));
  };
  copy(size_, first, first + count, &part.size_);
  copy(writer_, first, first + count, &part.writer_);
  copy(first_end_, first, first + count + 1, &part.first_end_);
  copy(ends_, first_end_[first], first_end_[first + count], &part.ends_);
  for (size_t& end : part.first_end_) end -= first_end_[first];
  return part;
}

}  // namespace atc
