#include "compiler/plan/order_proof.h"

#include <algorithm>

namespace atc {
namespace {

constexpr size_t kNone = SIZE_MAX;

}  // namespace

OrderProof::OrderProof(const Graph& graph, const std::vector<NodeId>& launch, std::vector<Ordered> waits)
    : stream_(graph.node_capacity(), -1), place_(graph.node_capacity(), 0), at_(launch.size(), -1) {
  int32_t streams = 0;
  for (uint32_t i = 0; i < launch.size(); ++i) {
    place_[launch[i]] = i;
    at_[i] = stream_[launch[i]] = graph.node(launch[i]).stream;
    streams = std::max(streams, at_[i] + 1);
  }
  std::sort(waits.begin(), waits.end(), [&](const Ordered& a, const Ordered& b) {
    const int32_t s = stream_[a.first];
    const int32_t t = stream_[b.first];
    if (s != t) return s < t;
    return std::make_pair(place_[a.first], place_[a.second]) < std::make_pair(place_[b.first], place_[b.second]);
  });
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  first_departure_.assign(static_cast<size_t>(streams) + 1, 0);
  for (const auto& [from, to] : waits) {
    ++first_departure_[static_cast<size_t>(stream_[from]) + 1];
    departures_.push_back({place_[from], place_[to], kNone, kNone});
  }
  for (size_t s = 1; s < first_departure_.size(); ++s) first_departure_[s] += first_departure_[s - 1];
  // Whom a departure leads to; what leads to nobody left comes first.
  std::vector<uint32_t> open(departures_.size(), 0);
  std::vector<std::vector<size_t>> led_from(departures_.size());
  for (size_t i = 0; i < departures_.size(); ++i) {
    Departure& d = departures_[i];
    d.then = FirstFrom(at_[d.to], d.to);
    if (i + 1 < first_departure_[static_cast<size_t>(at_[d.from]) + 1]) d.next = i + 1;
    for (const size_t other : {d.then, d.next}) {
      if (other == kNone) continue;
      led_from[other].push_back(i);
      ++open[i];
    }
  }
  for (size_t i = 0; i < departures_.size(); ++i) {
    if (open[i] == 0) last_first_.push_back(i);
  }
  for (size_t i = 0; i < last_first_.size(); ++i) {
    for (const size_t before : led_from[last_first_[i]]) {
      if (--open[before] == 0) last_first_.push_back(before);
    }
  }
  can_run_ = last_first_.size() == departures_.size();
}

size_t OrderProof::FirstFrom(int32_t stream, uint32_t place) const {
  const auto begin = departures_.begin() + static_cast<ptrdiff_t>(first_departure_[static_cast<size_t>(stream)]);
  const auto end = departures_.begin() + static_cast<ptrdiff_t>(first_departure_[static_cast<size_t>(stream) + 1]);
  const auto found = std::partition_point(begin, end, [&](const Departure& d) { return d.from < place; });
  return found == end ? kNone : static_cast<size_t>(found - departures_.begin());
}

std::vector<bool> OrderProof::Implied(std::span<const Ordered> questions) const {
  std::vector<bool> implied(questions.size());
  std::vector<std::vector<size_t>> by_stream(first_departure_.size());
  for (size_t i = 0; i < questions.size(); ++i) {
    const auto& [a, b] = questions[i];
    if (stream_[a] == stream_[b]) {
      implied[i] = place_[a] < place_[b];
    } else {
      by_stream[static_cast<size_t>(stream_[b])].push_back(i);
    }
  }
  std::vector<uint32_t> earliest(departures_.size());  // place on the stream asked for
  for (size_t s = 0; s < by_stream.size(); ++s) {
    if (by_stream[s].empty()) continue;
    for (const size_t i : last_first_) {
      const Departure& d = departures_[i];
      uint32_t place = at_[d.to] == static_cast<int32_t>(s) ? d.to : UINT32_MAX;
      if (d.then != kNone) place = std::min(place, earliest[d.then]);
      if (d.next != kNone) place = std::min(place, earliest[d.next]);
      earliest[i] = place;
    }
    for (const size_t i : by_stream[s]) {
      const auto& [a, b] = questions[i];
      const size_t first = FirstFrom(stream_[a], place_[a]);
      implied[i] = first != kNone && earliest[first] <= place_[b];
    }
  }
  return implied;
}

std::vector<std::vector<NodeId>> TasksBefore(const Graph& graph, const std::vector<NodeId>& launch) {
  std::vector<std::vector<NodeId>> before(graph.node_capacity());
  for (const NodeId id : launch) {
    std::vector<NodeId>& mine = before[id];
    const auto see = [&](NodeId other) {
      if (graph.node(other).stream >= 0) {
        mine.push_back(other);
      } else {
        mine.insert(mine.end(), before[other].begin(), before[other].end());
      }
    };
    const Node& node = graph.node(id);
    for (const ValueId input : node.inputs) {
      if (input != kNoId) see(graph.value(input).producer);
    }
    for (const NodeId other : node.control_in) see(other);
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }
  return before;
}

}  // namespace atc
