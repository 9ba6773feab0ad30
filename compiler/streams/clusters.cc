#include "compiler/streams/clusters.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>

#include "compiler/ir/stream_label.h"

namespace atc {
namespace {

// Union of clusters while they grow. A cluster's number is that of its first node.
class Growth {
 public:
  Growth(const Graph& graph, const std::vector<NodeId>& nodes)
      : parent_(nodes.size()), before_(nodes.size()), compact_(nodes.size(), 0), seen_(nodes.size(), 0) {
    std::vector<uint32_t> number(graph.node_capacity(), kNoId);
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      parent_[i] = i;
      number[nodes[i]] = i;
      const Node& node = graph.node(nodes[i]);
      const auto add = [&](NodeId before) {
        if (number[before] != kNoId) before_[i].push_back(number[before]);
      };
      for (const ValueId input : node.inputs) {
        if (input != kNoId) add(graph.value(input).producer);
      }
      for (const NodeId control : node.control_in) add(control);
    }
  }

  uint32_t Find(uint32_t at) {
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }

  // Clusters that `cluster` depends on, sorted, itself left out.
  const std::vector<uint32_t>& Before(uint32_t cluster) {
    std::vector<uint32_t>& list = before_[cluster];
    for (uint32_t& other : list) other = Find(other);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    list.erase(std::remove(list.begin(), list.end(), cluster), list.end());
    compact_[cluster] = list.size();
    return list;
  }

  // Whether `to`, which follows `from` directly, follows it by another way too.
  bool HasSecondPath(uint32_t from, uint32_t to) {
    ++search_;
    int left = kPathBudget;
    std::vector<uint32_t> open;
    const auto visit = [&](uint32_t cluster) {
      if (seen_[cluster] == search_) return;
      seen_[cluster] = search_;
      open.push_back(cluster);
    };
    for (const uint32_t raw : before_[to]) {
      const uint32_t other = Find(raw);
      if (other != from && other != to) visit(other);
    }
    while (!open.empty()) {
      const uint32_t cluster = open.back();
      open.pop_back();
      for (const uint32_t raw : before_[cluster]) {
        const uint32_t other = Find(raw);
        if (other == from || --left < 0) return true;
        visit(other);
      }
    }
    return false;
  }

  // Adds cluster `b` to `a`, a < b.
  void Join(uint32_t a, uint32_t b) {
    parent_[b] = a;
    std::vector<uint32_t>& into = before_[a];
    // The shorter list moves into the longer one.
    if (into.size() < before_[b].size()) into.swap(before_[b]);
    for (const uint32_t raw : before_[b]) {
      if (Find(raw) != a) into.push_back(raw);
    }
    before_[b] = {};
    if (into.size() > 2 * compact_[a] + 16) Before(a);
  }

 private:
  std::vector<uint32_t> parent_;
  std::vector<std::vector<uint32_t>> before_;  // with repetitions
  std::vector<size_t> compact_;                // length of before_ when it last had none
  std::vector<uint32_t> seen_;
  uint32_t search_ = 0;
};

// Numbers clusters so that each comes after those it depends on; of several that could come next, that with the first
// node in launch order.
Clusters InOrder(const Graph& graph, std::vector<Cluster> found) {
  std::vector<size_t> waiting(found.size());
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < found.size(); ++i) {
    waiting[i] = found[i].before.size();
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<uint32_t> sequence;
  std::vector<uint32_t> place(found.size(), 0);
  while (!ready.empty()) {
    const uint32_t at = ready.top();
    ready.pop();
    place[at] = static_cast<uint32_t>(sequence.size());
    sequence.push_back(at);
    for (const uint32_t after : found[at].after) {
      if (--waiting[after] == 0) ready.push(after);
    }
  }
  assert(sequence.size() == found.size());
  Clusters clusters;
  clusters.of_node.assign(graph.node_capacity(), kNoId);
  for (const uint32_t at : sequence) {
    Cluster& cluster = clusters.all.emplace_back(std::move(found[at]));
    for (const NodeId node : cluster.nodes) clusters.of_node[node] = static_cast<uint32_t>(clusters.all.size() - 1);
    for (auto* list : {&cluster.before, &cluster.after}) {
      for (uint32_t& other : *list) other = place[other];
      std::sort(list->begin(), list->end());
    }
  }
  return clusters;
}

}  // namespace

Clusters MakeClusters(const Graph& graph, const std::vector<NodeId>& order, const EngineTable& engines) {
  std::vector<NodeId> nodes;
  for (const NodeId id : order) {
    if (!graph.node(id).Is(kSource)) nodes.push_back(id);
  }
  Growth growth(graph, nodes);
  const size_t count = nodes.size();
  std::vector<const Engine*> engine(count);
  std::vector<std::string> label(count);
  std::vector<int64_t> stated(count);
  for (size_t i = 0; i < count; ++i) {
    const Node& node = graph.node(nodes[i]);
    engine[i] = &engines.Of(node);
    label[i] = StreamLabelOf(node);
    stated[i] = node.attrs.Get<int64_t>(kNewStreamId, -1);
  }
  for (uint32_t i = 0; i < count; ++i) {
    const std::vector<uint32_t> before = growth.Before(i);
    for (const uint32_t other : before) {
      const uint32_t to = growth.Find(i);
      const uint32_t from = growth.Find(other);
      if (from == to || engine[from] != engine[to] || label[from] != label[to] || stated[from] != stated[to]) continue;
      if (growth.HasSecondPath(from, to)) continue;
      growth.Join(std::min(from, to), std::max(from, to));
    }
  }
  std::vector<Cluster> found;
  std::vector<uint32_t> number(count, 0);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t root = growth.Find(i);
    if (root == i) {
      number[i] = static_cast<uint32_t>(found.size());
      Cluster& cluster = found.emplace_back();
      cluster.engine = engine[i];
      cluster.label = label[i];
      cluster.new_stream_id = stated[i];
    }
    found[number[root]].nodes.push_back(nodes[i]);
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (growth.Find(i) != i) continue;
    for (const uint32_t other : growth.Before(i)) {
      found[number[i]].before.push_back(number[other]);
      found[number[other]].after.push_back(number[i]);
    }
  }
  return InOrder(graph, std::move(found));
}

}  // namespace atc
