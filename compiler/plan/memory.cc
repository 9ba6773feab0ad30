#include "compiler/plan/memory.h"

#include <algorithm>
#include <numeric>

#include "compiler/plan/happens_before.h"

namespace atc {
namespace {

// Which pairs of buffers may not share bytes.
class Conflicts {
 public:
  Conflicts(const Graph& graph, const std::vector<NodeId>& order, const std::vector<PlannedBuffer>& buffers)
      : with_(buffers.size()) {
    const HappensBefore before(graph, order);
    for (size_t a = 0; a < buffers.size(); ++a) {
      for (size_t b = a + 1; b < buffers.size(); ++b) {
        // In launch order of their writers, so b is never over before a is written.
        const bool over = std::all_of(buffers[a].users.begin(), buffers[a].users.end(),
                                      [&](NodeId user) { return before.Before(user, buffers[b].writer); });
        if (over) continue;
        with_[a].push_back(b);
        with_[b].push_back(a);
      }
    }
  }

  const std::vector<size_t>& With(size_t buffer) const { return with_[buffer]; }

 private:
  std::vector<std::vector<size_t>> with_;
};

// Places buffers in the order of `sequence`, each at the lowest (or the tightest) gap left by those it conflicts with.
int64_t Place(std::vector<PlannedBuffer>& buffers, const Conflicts& conflicts, const std::vector<size_t>& sequence,
              bool best_fit) {
  for (PlannedBuffer& buffer : buffers) buffer.offset = -1;
  int64_t total = 0;
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (const size_t index : sequence) {
    taken.clear();
    for (const size_t other : conflicts.With(index)) {
      if (buffers[other].offset >= 0) taken.push_back({buffers[other].offset, buffers[other].offset + buffers[other].size});
    }
    std::sort(taken.begin(), taken.end());
    const int64_t size = buffers[index].size;
    int64_t at = 0;
    int64_t chosen = -1;
    int64_t chosen_gap = INT64_MAX;
    for (const auto& [begin, end] : taken) {
      const int64_t gap = begin - at;
      if (gap >= size && gap < chosen_gap) {
        chosen = at;
        chosen_gap = gap;
        if (!best_fit) break;
      }
      at = std::max(at, end);
    }
    if (chosen < 0) chosen = at;
    buffers[index].offset = chosen;
    total = std::max(total, chosen + size);
  }
  return total;
}

struct Strategy {
  const char* name;
  // Whether a comes before b.
  bool (*before)(const PlannedBuffer& a, const PlannedBuffer& b);
  bool best_fit;
};

bool InOrder(const PlannedBuffer&, const PlannedBuffer&) { return false; }
bool LargerFirst(const PlannedBuffer& a, const PlannedBuffer& b) { return a.size > b.size; }
bool MoreUsedFirst(const PlannedBuffer& a, const PlannedBuffer& b) {
  return a.size * static_cast<int64_t>(a.users.size()) > b.size * static_cast<int64_t>(b.users.size());
}

constexpr Strategy kStrategies[] = {
    {"launch order, first fit", InOrder, false},
    {"launch order, best fit", InOrder, true},
    {"size, first fit", LargerFirst, false},
    {"size, best fit", LargerFirst, true},
    {"size times uses, first fit", MoreUsedFirst, false},
};

int64_t MostAlive(const std::vector<PlannedBuffer>& buffers, const std::vector<NodeId>& order, size_t capacity) {
  std::vector<size_t> position(capacity, 0);
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<int64_t> change(order.size() + 1, 0);
  for (const PlannedBuffer& buffer : buffers) {
    size_t last = 0;
    for (const NodeId user : buffer.users) last = std::max(last, position[user]);
    change[position[buffer.writer]] += buffer.size;
    change[last + 1] -= buffer.size;
  }
  int64_t alive = 0;
  int64_t most = 0;
  for (const int64_t delta : change) most = std::max(most, alive += delta);
  return most;
}

}  // namespace

MemoryPlan PlanMemory(Graph& graph, bool reuse) {
  const std::vector<NodeId> order = graph.TopologicalOrder();
  std::vector<PlannedBuffer> all = CollectBuffers(graph, order);
  std::vector<PlannedBuffer> feature;
  std::vector<PlannedBuffer> tail;
  for (PlannedBuffer& buffer : all) (buffer.kind == PlannedBuffer::kFeature ? feature : tail).push_back(std::move(buffer));

  MemoryPlan plan;
  std::vector<size_t> sequence(feature.size());
  int64_t total = 0;
  for (const PlannedBuffer& buffer : feature) plan.without_reuse += buffer.size;
  if (reuse) {
    const Conflicts conflicts(graph, order, feature);
    std::vector<PlannedBuffer> best;
    for (const Strategy& strategy : kStrategies) {
      std::iota(sequence.begin(), sequence.end(), 0);
      std::stable_sort(sequence.begin(), sequence.end(),
                       [&](size_t a, size_t b) { return strategy.before(feature[a], feature[b]); });
      const int64_t size = Place(feature, conflicts, sequence, strategy.best_fit);
      if (!best.empty() && size >= total) continue;
      total = size;
      best = feature;
      plan.strategy = strategy.name;
    }
    feature = std::move(best);
  } else {
    for (PlannedBuffer& buffer : feature) {
      buffer.offset = total;
      total += buffer.size;
    }
    plan.strategy = "no reuse";
  }
  plan.lower_bound = MostAlive(feature, order, graph.node_capacity());

  // The tail: others first, then inputs, as GE lays it out.
  std::stable_sort(tail.begin(), tail.end(), [](const PlannedBuffer& a, const PlannedBuffer& b) {
    const bool a_input = a.kind == PlannedBuffer::kInput;
    const bool b_input = b.kind == PlannedBuffer::kInput;
    return a_input != b_input ? b_input : a_input && a.size < b.size;
  });
  int64_t at = total;
  for (PlannedBuffer& buffer : tail) {
    buffer.offset = at;
    at += buffer.size;
  }
  plan.memory_size = at;
  plan.zero_copy_memory_size = at - total;
  plan.lower_bound += plan.zero_copy_memory_size;
  plan.without_reuse += plan.zero_copy_memory_size;
  for (const auto* buffers : {&feature, &tail}) {
    for (const PlannedBuffer& buffer : *buffers) {
      for (const ValueId value : buffer.values) graph.value(value).offset = buffer.offset;
    }
  }
  return plan;
}

}  // namespace atc
