#include "compiler/streams/logical_streams.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ir/stream_label.h"
#include "compiler/streams/engines.h"

namespace atc {
namespace {

class Assignment {
 public:
  Assignment(Graph& graph, const StreamOptions& options)
      : graph_(graph), options_(options), order_(graph.TopologicalOrder()), stream_(graph.node_capacity(), -1) {}

  int32_t Run() {
    if (options_.single_stream) {
      SingleStream();
    } else {
      AssignByLabel();
      IndependentStream();
      AssignByDependency();
      OptimizeIneffectiveMultiStream();
      RefreshContinuousStreams();
    }
    for (const NodeId id : order_) graph_.node(id).stream = stream_[id];
    return std::max(next_, 1);
  }

 private:
  void Set(Node& node, int32_t stream, std::string rule) {
    stream_[node.id] = stream;
    node.Because("stream", std::move(rule));
  }

  template <typename F>
  void ForEachTask(F&& visit) {
    for (const NodeId id : order_) {
      if (EmitsTask(graph_, graph_.node(id))) visit(graph_.node(id));
    }
  }

  void SingleStream() {
    ForEachTask([&](Node& node) {
      const std::string label = StreamLabelOf(node);
      if (!label.empty()) {
        Error error("E10055", {{"reason", "--enable_single_stream=true and the stream label '" + label +
                                              "' cannot hold at the same time."}},
                    "Remove the label or leave out --enable_single_stream.");
        throw error.At("node '" + node.name + "' (" + node.type().str() + ")");
      }
      Set(node, 0, "SingleStream");
    });
    next_ = 1;
  }

  void AssignByLabel() {
    std::map<std::string, int32_t> streams;
    ForEachTask([&](Node& node) {
      const std::string label = StreamLabelOf(node);
      if (label.empty()) return;
      const auto [it, added] = streams.try_emplace(label, next_);
      next_ += added;
      Set(node, it->second, "AssignByLabel: " + label);
      labelled_.push_back(it->second);
    });
  }

  void IndependentStream() {
    std::map<std::string, int32_t> streams;
    ForEachTask([&](Node& node) {
      if (stream_[node.id] >= 0 || !FindEngine(node.engine).independent) return;
      const auto [it, added] = streams.try_emplace(node.engine, next_);
      next_ += added;
      Set(node, it->second, "IndependentStream: " + node.engine);
    });
  }

  // A node takes the stream of a predecessor that it can follow on; else its engine's next one.
  void AssignByDependency() {
    std::map<std::string, std::vector<int32_t>> of_engine;
    std::map<std::string, size_t> turn;
    ForEachTask([&](Node& node) {
      if (stream_[node.id] >= 0) return;
      const Node* best = nullptr;
      for (const NodeId id : Predecessors(node)) {
        const Node& before = graph_.node(id);
        if (!CanFollow(before, node)) continue;
        if (best == nullptr || FindEngine(before.engine).cost < FindEngine(best->engine).cost) best = &before;
      }
      if (best != nullptr) {
        Set(node, stream_[best->id], "AssignByDependency: follows " + best->name);
        return;
      }
      std::vector<int32_t>& streams = of_engine[node.engine];
      // An attached engine with nobody to ride on shares the first stream there is.
      if (streams.empty() && FindEngine(node.engine).attach && !of_engine["AIcoreEngine"].empty()) {
        Set(node, of_engine["AIcoreEngine"][0], "AssignByDependency: attached to AIcoreEngine");
        return;
      }
      if (static_cast<int32_t>(streams.size()) < options_.max_parallel_streams) streams.push_back(next_++);
      Set(node, streams[turn[node.engine]++ % streams.size()], "AssignByDependency: next of " + node.engine);
    });
  }

  bool CanFollow(const Node& before, const Node& node) const {
    if (FindEngine(before.engine).independent || !StreamLabelOf(before).empty() || stream_[before.id] < 0) return false;
    if (before.engine != node.engine && !FindEngine(node.engine).attach && !FindEngine(before.engine).attach) return false;
    // Somebody of the same engine already follows it: a parallel branch, when there are streams for one.
    if (options_.max_parallel_streams > 1) {
      for (const NodeId id : Successors(before)) {
        if (id != node.id && stream_[id] == stream_[before.id] && graph_.node(id).engine == before.engine) return false;
      }
    }
    return true;
  }

  // A node all of whose neighbours are on one other stream, and none on its own, gains nothing from its stream.
  void OptimizeIneffectiveMultiStream() {
    ForEachTask([&](Node& node) {
      if (!StreamLabelOf(node).empty() || FindEngine(node.engine).independent) return;
      int32_t other = -1;
      std::vector<NodeId> neighbours = Predecessors(node);
      const std::vector<NodeId> after = Successors(node);
      neighbours.insert(neighbours.end(), after.begin(), after.end());
      for (const NodeId id : neighbours) {
        if (stream_[id] == stream_[node.id] || (other >= 0 && stream_[id] != other)) return;
        other = stream_[id];
      }
      if (other < 0 || std::find(labelled_.begin(), labelled_.end(), other) != labelled_.end()) return;
      if (OtherStreamWorksBetween(node, other)) return;
      Set(node, other, "OptimizeIneffectiveMultiStream");
    });
  }

  bool OtherStreamWorksBetween(const Node& node, int32_t other) const {
    std::map<NodeId, size_t> position;
    for (size_t i = 0; i < order_.size(); ++i) position[order_[i]] = i;
    size_t latest_input = 0;
    size_t earliest_output = order_.size();
    for (const NodeId id : Predecessors(node)) latest_input = std::max(latest_input, position[id]);
    for (const NodeId id : Successors(node)) earliest_output = std::min(earliest_output, position[id]);
    for (size_t i = latest_input + 1; i < earliest_output; ++i) {
      if (stream_[order_[i]] == other) return true;
    }
    return false;
  }

  void RefreshContinuousStreams() {
    std::map<int32_t, int32_t> renumbered;
    for (const NodeId id : order_) {
      if (stream_[id] < 0) continue;
      stream_[id] = renumbered.try_emplace(stream_[id], static_cast<int32_t>(renumbered.size())).first->second;
    }
    next_ = static_cast<int32_t>(renumbered.size());
  }

  // Nearest nodes with a task, through those without.
  std::vector<NodeId> Predecessors(const Node& node) const {
    std::vector<NodeId> found;
    const auto visit = [&](NodeId id) {
      const Node& before = graph_.node(id);
      if (EmitsTask(graph_, before)) {
        found.push_back(id);
      } else {
        for (const NodeId further : Predecessors(before)) found.push_back(further);
      }
    };
    for (const ValueId input : node.inputs) {
      if (input != kNoId) visit(graph_.value(input).producer);
    }
    for (const NodeId id : node.control_in) visit(id);
    return found;
  }

  std::vector<NodeId> Successors(const Node& node) const {
    std::vector<NodeId> found;
    const auto visit = [&](NodeId id) {
      const Node& after = graph_.node(id);
      if (EmitsTask(graph_, after)) {
        found.push_back(id);
      } else {
        for (const NodeId further : Successors(after)) found.push_back(further);
      }
    };
    for (const ValueId output : node.outputs) {
      for (const Use& use : graph_.value(output).uses) visit(use.node);
    }
    for (const NodeId id : node.control_out) visit(id);
    return found;
  }

  Graph& graph_;
  const StreamOptions& options_;
  const std::vector<NodeId> order_;
  std::vector<int32_t> stream_;
  std::vector<int32_t> labelled_;
  int32_t next_ = 0;
};

}  // namespace

int32_t AssignLogicalStreams(Graph& graph, const StreamOptions& options) { return Assignment(graph, options).Run(); }

}  // namespace atc
