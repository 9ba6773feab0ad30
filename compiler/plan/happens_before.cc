#include "compiler/plan/happens_before.h"

#include <algorithm>
#include <numeric>

namespace atc {

HappensBefore HappensBefore::Serial(uint32_t tasks) {
  HappensBefore order;
  order.tasks_.resize(1);
  order.tasks_[0].resize(tasks);
  std::iota(order.tasks_[0].begin(), order.tasks_[0].end(), 0u);
  order.launch_ = order.tasks_[0];
  order.stream_.assign(tasks, 0);
  order.position_.assign(order.launch_.begin(), order.launch_.end());
  order.stands_for_.assign(tasks, kNoId);
  order.clock_.assign(tasks, 0);
  order.clocks_.assign(1, 0);
  return order;
}

HappensBefore::HappensBefore(const Graph& graph, const std::vector<NodeId>& launch_order)
    : launch_(graph.node_capacity(), 0),
      stream_(graph.node_capacity(), -1),
      position_(graph.node_capacity(), 0),
      stands_for_(graph.node_capacity(), kNoId),
      clock_(graph.node_capacity(), 0) {
  int32_t streams = 0;
  for (const NodeId id : launch_order) streams = std::max(streams, graph.node(id).stream + 1);
  tasks_.resize(static_cast<size_t>(streams));
  clocks_.assign(tasks_.size(), 0);  // clock 0: nothing is over
  for (uint32_t i = 0; i < launch_order.size(); ++i) {
    const NodeId id = launch_order[i];
    const Node& node = graph.node(id);
    const int32_t stream = node.stream;
    launch_[id] = i;
    stream_[id] = stream;
    size_t at = 0;
    bool own = false;
    if (stream >= 0) {
      std::vector<NodeId>& tasks = tasks_[static_cast<size_t>(stream)];
      position_[id] = static_cast<int32_t>(tasks.size());
      if (!tasks.empty()) at = clock_[tasks.back()];
      tasks.push_back(id);
    }
    const auto for_each_before = [&](auto&& visit) {
      for (const ValueId input : node.inputs) {
        if (input != kNoId) visit(graph.value(input).producer);
      }
      for (const NodeId before : node.control_in) visit(before);
    };
    if (stream < 0) {
      // Nothing needs a clock of its own that one task stands for.
      NodeId only = kNoId;
      bool several = false;
      for_each_before([&](NodeId before) {
        const NodeId real = stream_[before] >= 0 ? before : stands_for_[before];
        several |= real == kNoId ? clock_[before] != 0 : only != kNoId && only != real;
        if (real != kNoId) only = real;
      });
      if (!several) {
        stands_for_[id] = only;
        continue;
      }
    }
    for_each_before([&](NodeId before) { Wait(stream, before, &at, &own); });
    clock_[id] = at;
  }
}

size_t HappensBefore::NewClock(size_t from) {
  const size_t count = streams();
  clocks_.resize(clocks_.size() + count);
  std::copy_n(clocks_.begin() + static_cast<ptrdiff_t>(from * count), count,
              clocks_.end() - static_cast<ptrdiff_t>(count));
  return clocks_.size() / count - 1;
}

void HappensBefore::Advance(int32_t stream, int32_t over_stream, int32_t over, size_t* at, bool* own) {
  if (over_stream == stream || clocks_[*at * streams() + static_cast<size_t>(over_stream)] >= over) return;
  if (!*own) *at = NewClock(*at);
  *own = true;
  clocks_[*at * streams() + static_cast<size_t>(over_stream)] = over;
}

void HappensBefore::Wait(int32_t stream, NodeId before, size_t* at, bool* own) {
  if (stream_[before] < 0 && stands_for_[before] != kNoId) before = stands_for_[before];
  const int32_t other = stream_[before];
  if (other >= 0) {
    // Whoever knows that the task is over knows all that it waited for.
    if (other == stream || clocks_[*at * streams() + static_cast<size_t>(other)] > position_[before]) return;
    Advance(stream, other, position_[before] + 1, at, own);
  }
  const size_t theirs = clock_[before];
  if (theirs == *at || theirs == 0) return;
  for (int32_t s = 0; s < num_streams(); ++s) {
    if (s != other) Advance(stream, s, clocks_[theirs * streams() + static_cast<size_t>(s)], at, own);
  }
}

}  // namespace atc
