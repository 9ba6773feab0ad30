#include "compiler/passes/topological_sort.h"

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

namespace atc {
namespace {

class Sorter {
 public:
  explicit Sorter(const Graph& graph)
      : graph_(graph), emitted_(graph.node_capacity(), false), met_(graph.node_capacity(), 0) {
    order_.reserve(graph.num_nodes());
    for (const NodeId id : graph.Inputs()) Emit(id);
  }

  // From the sources on. `kDepth`: what was made ready last is taken first, in the order of the outputs.
  template <bool kDepth>
  void Forwards() {
    std::vector<uint32_t> waiting(graph_.node_capacity(), 0);
    std::deque<NodeId> ready;
    std::vector<NodeId> made;
    const auto arrived = [&](NodeId to) {
      if (--waiting[to] == 0) made.push_back(to);
    };
    const auto leave = [&](NodeId id) {
      for (const NodeId reader : Readers(id)) arrived(reader);
      if (kDepth) {
        ready.insert(ready.begin(), made.begin(), made.end());
      } else {
        ready.insert(ready.end(), made.begin(), made.end());
      }
      made.clear();
    };
    for (NodeId id = 0; id < graph_.node_capacity(); ++id) {
      if (!IsTask(id)) continue;
      waiting[id] = static_cast<uint32_t>(Needed(id).size());
      if (waiting[id] == 0 && !emitted_[id]) ready.push_back(id);
    }
    const std::vector<NodeId> data = order_;
    for (const NodeId id : data) {
      for (const NodeId reader : Readers(id)) arrived(reader);
    }
    // What the inputs make ready, in their order; then what needs none.
    ready.insert(ready.begin(), made.begin(), made.end());
    made.clear();
    while (!ready.empty()) {
      const NodeId id = ready.front();
      ready.pop_front();
      EmitWithConstants(id);
      leave(id);
    }
    Rest();
  }

  // From each of `roots` back to what it needs.
  void Backwards(const std::vector<NodeId>& roots) {
    std::vector<std::pair<NodeId, size_t>> path;  // a node and how many of its needs were seen to
    std::vector<std::vector<NodeId>> needs;
    const auto enter = [&](NodeId id) {
      if (emitted_[id] || !IsTask(id)) return;
      path.push_back({id, 0});
      needs.push_back(Needed(id));
    };
    for (const NodeId root : roots) {
      enter(root);
      while (!path.empty()) {
        auto& [id, seen] = path.back();
        if (seen < needs.back().size()) {
          enter(needs.back()[seen++]);
          continue;
        }
        if (!emitted_[id]) EmitWithConstants(id);
        path.pop_back();
        needs.pop_back();
      }
    }
    Rest();
  }

  // Nodes that nothing reads.
  std::vector<NodeId> Leaves() const {
    std::vector<NodeId> leaves;
    for (NodeId id = 0; id < graph_.node_capacity(); ++id) {
      if (IsTask(id) && Readers(id).empty()) leaves.push_back(id);
    }
    return leaves;
  }

  // All nodes by their place in the model: their own, or that of the last node of the model that they come from (a fused
  // one can be no earlier). Those that come from none keep to their neighbours.
  std::vector<NodeId> ByOrigin() const {
    OriginTable origins = graph_.origins();
    OriginId all = kNoOrigin;
    for (NodeId id = 0; id < graph_.node_capacity(); ++id) {
      if (graph_.node(id).alive) all = origins.Union(all, graph_.node(id).origin);
    }
    std::unordered_map<std::string, size_t> place;
    for (std::string& name : origins.Flatten(all)) place.emplace(std::move(name), place.size());
    std::vector<std::pair<size_t, NodeId>> keyed;
    size_t last = 0;
    for (const NodeId id : graph_.TopologicalOrder()) {
      if (!IsTask(id)) continue;
      const Node& node = graph_.node(id);
      const auto own = place.find(node.name);
      if (own != place.end() && !node.fused) {
        last = own->second;
      } else if (const std::vector<std::string> from = origins.Flatten(node.origin); !from.empty()) {
        last = place.at(from.back());
      }
      keyed.push_back({node.type() == "NetOutput" ? place.size() : last, id});
    }
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<NodeId> nodes;
    for (const auto& [key, id] : keyed) nodes.push_back(id);
    return nodes;
  }

  std::vector<NodeId> Take() { return std::move(order_); }

 private:
  bool IsConst(NodeId id) const { return graph_.node(id).type() == "Const" && graph_.node(id).control_in.empty(); }
  bool IsTask(NodeId id) const { return graph_.node(id).alive && !IsConst(id); }

  // Producers of data, in the order of the inputs, then of control; each once, no constants.
  std::vector<NodeId> Needed(NodeId id) const {
    const Node& node = graph_.node(id);
    std::vector<NodeId> needed;
    ++walk_;
    const auto add = [&](NodeId from) {
      if (!IsConst(from) && std::exchange(met_[from], walk_) != walk_) needed.push_back(from);
    };
    for (const ValueId input : node.inputs) {
      if (input != kNoId) add(graph_.value(input).producer);
    }
    for (const NodeId from : node.control_in) add(from);
    return needed;
  }

  // Readers in the order of the outputs and then of their ids, then those of control; each once.
  std::vector<NodeId> Readers(NodeId id) const {
    const Node& node = graph_.node(id);
    std::vector<NodeId> readers;
    ++walk_;
    const auto add_sorted = [&](std::vector<NodeId> some) {
      std::sort(some.begin(), some.end());
      for (const NodeId reader : some) {
        if (std::exchange(met_[reader], walk_) != walk_) readers.push_back(reader);
      }
    };
    for (const ValueId output : node.outputs) {
      std::vector<NodeId> some;
      for (const Use& use : graph_.value(output).uses) some.push_back(use.node);
      add_sorted(std::move(some));
    }
    add_sorted(node.control_out);
    return readers;
  }

  void Emit(NodeId id) {
    emitted_[id] = true;
    order_.push_back(id);
  }

  void EmitWithConstants(NodeId id) {
    for (const ValueId input : graph_.node(id).inputs) {
      if (input == kNoId) continue;
      const NodeId from = graph_.value(input).producer;
      if (IsConst(from) && !emitted_[from]) Emit(from);
    }
    for (const NodeId from : graph_.node(id).control_in) {
      if (!emitted_[from]) Emit(from);  // a constant that only control ties
    }
    Emit(id);
  }

  // Constants that nothing reads.
  void Rest() {
    for (NodeId id = 0; id < graph_.node_capacity(); ++id) {
      if (graph_.node(id).alive && IsConst(id) && !emitted_[id]) Emit(id);
    }
  }

  const Graph& graph_;
  std::vector<bool> emitted_;
  mutable std::vector<uint64_t> met_;  // the walk over neighbours that met a node last
  mutable uint64_t walk_ = 0;
  std::vector<NodeId> order_;
};

}  // namespace

std::vector<NodeId> SortedNodes(const Graph& graph, TopoSortingMode mode) {
  Sorter sorter(graph);
  switch (mode) {
    case TopoSortingMode::kBreadthFirst: sorter.Forwards<false>(); break;
    case TopoSortingMode::kDepthFirst: sorter.Forwards<true>(); break;
    case TopoSortingMode::kReverseDepthFirst: sorter.Backwards(sorter.Leaves()); break;
    case TopoSortingMode::kStable: sorter.Backwards(sorter.ByOrigin()); break;
  }
  return sorter.Take();
}

void SortTopologically(Graph& graph, TopoSortingMode mode) {
  graph.Renumber(SortedNodes(graph, mode));
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    for (const Subgraph& subgraph : graph.node(id).subgraphs) SortTopologically(*subgraph.graph, mode);
  }
}

}  // namespace atc
