#include "compiler/plan/lifetimes.h"

#include <algorithm>
#include <functional>

namespace atc {

namespace {

// Of each stream the task that `beats` all others of it, without those that `covered` says another kept one stands for;
// in the order of `comes`.
template <typename Beats, typename Comes, typename Covered>
std::vector<NodeId> Extremes(const HappensBefore& order, std::vector<NodeId> tasks, Beats beats, Comes comes,
                             Covered covered) {
  if (tasks.size() == 1) return tasks;
  std::sort(tasks.begin(), tasks.end(), [&](NodeId a, NodeId b) {
    const int32_t s = order.StreamOf(a);
    const int32_t t = order.StreamOf(b);
    return s != t ? s < t : beats(order.PositionInStream(a), order.PositionInStream(b));
  });
  tasks.erase(std::unique(tasks.begin(), tasks.end(),
                          [&](NodeId a, NodeId b) { return order.StreamOf(a) == order.StreamOf(b); }),
              tasks.end());
  std::sort(tasks.begin(), tasks.end(), [&](NodeId a, NodeId b) { return comes(order.Launch(a), order.Launch(b)); });
  std::vector<NodeId> kept;
  for (const NodeId task : tasks) {
    if (std::none_of(kept.begin(), kept.end(), [&](NodeId other) { return covered(task, other); })) kept.push_back(task);
  }
  return kept;
}

}  // namespace

void Lifetimes::Add(int64_t size, std::span<const NodeId> writers, std::span<const NodeId> users) {
  size_.push_back(size);
  const std::vector<NodeId> first =
      Extremes(order_, {writers.begin(), writers.end()}, std::less<>(), std::less<>(),
               [&](NodeId task, NodeId earlier) { return order_.Before(earlier, task); });
  writers_.insert(writers_.end(), first.begin(), first.end());
  first_writer_.push_back(writers_.size());
  std::vector<NodeId> all(users.begin(), users.end());
  all.insert(all.end(), writers.begin(), writers.end());
  const std::vector<NodeId> last =
      Extremes(order_, std::move(all), std::greater<>(), std::greater<>(),
               [&](NodeId task, NodeId later) { return order_.Before(task, later); });
  for (const NodeId task : last) ends_.push_back({order_.StreamOf(task), order_.PositionInStream(task)});
  first_end_.push_back(ends_.size());
}

Lifetimes Lifetimes::Part(size_t first, size_t count) const {
  Lifetimes part(order_);
  const auto copy = [](const auto& from, size_t begin, size_t end, auto* to) {
    to->assign(from.begin() + static_cast<ptrdiff_t>(begin), from.begin() + static_cast<ptrdiff_t>(end));
  };
  copy(size_, first, first + count, &part.size_);
  copy(first_writer_, first, first + count + 1, &part.first_writer_);
  copy(writers_, first_writer_[first], first_writer_[first + count], &part.writers_);
  copy(first_end_, first, first + count + 1, &part.first_end_);
  copy(ends_, first_end_[first], first_end_[first + count], &part.ends_);
  for (size_t& writer : part.first_writer_) writer -= first_writer_[first];
  for (size_t& end : part.first_end_) end -= first_end_[first];
  return part;
}

}  // namespace atc
