#include "compiler/overflow_forecast.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

constexpr double kLargestHalf = 65504;
// What a constant is called that was brought into fp16.
constexpr const char* kNarrowed = "_FLOAT16";

// Infinities are values of fp16 too: what counts is a finite value that becomes one.
bool Leaves(const ValueRange& range) {
  return (std::isfinite(range.low) && range.low < -kLargestHalf) ||
         (std::isfinite(range.high) && range.high > kLargestHalf);
}

using Names = std::set<std::string>;

Names NodesInHalf(const Graph& compiled) {
  Names names;
  for (const NodeId id : compiled.TopologicalOrder()) {
    const Node& node = compiled.node(id);
    for (const Subgraph& nested : node.subgraphs) names.merge(NodesInHalf(*nested.graph));
    const bool half = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [&](ValueId value) { return compiled.desc(value).dtype == DT_FLOAT16; });
    if (half) names.insert(node.name);
  }
  return names;
}

// Keeps the first that happens, and until there is one the first that would.
class First {
 public:
  First(const Names& halves, OverflowForecast* to) : halves_(halves), to_(to) {}

  void See(const Node& node, const ValueRange& range) {
    if (!Leaves(range) || to_->fp16) return;
    const bool half =
        halves_.contains(node.name) || (node.type() == "Const" && halves_.contains(node.name + kNarrowed));
    if (to_->found() && !half) return;
    *to_ = {node.name, node.type().str(), range.low, range.high, half};
  }

 private:
  const Names& halves_;
  OverflowForecast* to_;
};

int64_t Count(const Tensor& tensor, bool (*is)(float)) {
  const Tensor wide = Widen(tensor);
  if (!wide.defined() || wide.dtype() != DT_FLOAT) return 0;
  return std::count_if(wide.Data<float>(), wide.Data<float>() + wide.NumElements(), is);
}

int64_t Infinities(const Tensor& tensor) {
  return Count(tensor, [](float value) { return std::isinf(value); });
}

// Neither infinities nor what is computed from them.
bool IsFinite(const Tensor& tensor) {
  return Count(tensor, [](float value) { return !std::isfinite(value); }) == 0;
}

// Whether a constant became infinite as it was narrowed: not where it was clipped, nor where the model has infinities.
bool BecameInfinite(const Graph& floats, const Graph& compiled, const std::string& name) {
  const auto infinities = [&](const Graph& graph) {
    int64_t most = 0;
    for (const NodeId id : graph.TopologicalOrder()) {
      const Node& node = graph.node(id);
      const Tensor* value =
          node.name == name || node.name == name + kNarrowed ? graph.Constant(node.outputs[0]) : nullptr;
      if (value != nullptr) most = std::max(most, Infinities(value->Materialized()));
    }
    return most;
  };
  return infinities(compiled) > infinities(floats);
}

// Whether both take the same inputs: not where the interface was changed.
bool TakeTheSame(const Graph& a, const Graph& b) {
  const std::vector<NodeId> ours = a.Inputs(), theirs = b.Inputs();
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), [&](NodeId x, NodeId y) {
    const TensorDesc& one = a.desc(a.node(x).outputs[0]);
    const TensorDesc& other = b.desc(b.node(y).outputs[0]);
    return one.dtype == other.dtype && one.origin_shape == other.origin_shape;
  });
}

// Tells what each node gives, those of branches and bodies too; what a fused node stands for is its own affair.
class Watch : public NodeRunner {
 public:
  using See = std::function<void(const Graph&, const Node&, const std::vector<Tensor>&)>;

  Watch(const Graph& graph, See see) : see_(std::move(see)) { Add(graph); }

  const EvaluationOrder& OrderOf(const Graph& graph) override {
    return orders_.try_emplace(&graph, graph).first->second;
  }
  std::optional<std::vector<Tensor>> Run(const Graph&, const Node&, const std::vector<Tensor>&) override { return {}; }
  void Saw(const Graph& graph, const Node& node, const std::vector<Tensor>&,
           const std::vector<Tensor>& outputs) override {
    if (graphs_.contains(&graph)) see_(graph, node, outputs);
  }
  std::optional<std::vector<Tensor>> RunGraph(const Graph&, const std::vector<Tensor>&) override { return {}; }

 private:
  void Add(const Graph& graph) {
    graphs_.insert(&graph);
    for (const NodeId id : graph.TopologicalOrder()) {
      for (const Subgraph& nested : graph.node(id).subgraphs) Add(*nested.graph);
    }
  }

  See see_;
  std::set<const Graph*> graphs_;                   // looked up, never walked
  std::map<const Graph*, EvaluationOrder> orders_;  // likewise
};

std::vector<Tensor> EvaluateWatched(const Graph& graph, std::vector<Tensor> inputs, Watch::See see) {
  Watch watch(graph, std::move(see));
  EvaluateOptions options;
  options.runner = &watch;
  return Evaluate(graph, std::move(inputs), options);
}

// Who gives fp16 infinities; of a Cast, what it reads.
Names Infinite(const Graph& compiled, const std::vector<Tensor>& samples, std::vector<Tensor>* outputs) {
  Names names;
  *outputs =
      EvaluateWatched(compiled, samples, [&](const Graph& seen, const Node& node, const std::vector<Tensor>& results) {
        const bool infinite = std::any_of(results.begin(), results.end(), [](const Tensor& result) {
          return result.defined() && result.dtype() == DT_FLOAT16 && Infinities(result) > 0;
        });
        if (infinite) names.insert(node.type() == "Cast" ? seen.producer(node.inputs[0]).name : node.name);
      });
  return names;
}

// Takes the half types out of a graph: what the model itself computes in fp16 shows its values in float alone.
void WidenAll(Graph& graph) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const Subgraph& nested : node.subgraphs) WidenAll(*nested.graph);
    if (const Tensor* constant = node.attrs.FindAs<Tensor>("value"); constant != nullptr && IsHalf(constant->dtype())) {
      node.attrs.Set("value", Widen(constant->Materialized()));
    }
    if (node.type() == "Cast" && IsHalf(static_cast<DataType>(node.attrs.Get<int64_t>("dst_type", DT_FLOAT)))) {
      node.attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
    }
    for (const ValueId output : node.outputs) {
      if (IsHalf(graph.desc(output).dtype)) graph.desc(output).dtype = DT_FLOAT;
    }
  }
}

// Nodes of the float graph with values beyond fp16, in order.
std::vector<OverflowForecast> Beyond(const Graph& floats, const Names& halves, const std::vector<Tensor>& samples,
                                     std::vector<Tensor>* outputs) {
  std::vector<OverflowForecast> found;
  const auto see = [&](const Node& node, const std::vector<Tensor>& results) {
    for (const Tensor& result : results) {
      if (!result.defined() || !IsFloating(result.dtype())) continue;
      const ValueRange range = RangeOf(result);
      if (Leaves(range))
        found.push_back({node.name, node.type().str(), range.low, range.high, halves.contains(node.name)});
    }
  };
  const std::vector<NodeId> inputs = floats.Inputs();
  for (size_t i = 0; i < inputs.size(); ++i) see(floats.node(inputs[i]), {samples[i]});
  std::vector<Tensor> wide;
  for (const Tensor& sample : samples) wide.push_back(Widen(sample));
  *outputs =
      EvaluateWatched(floats, std::move(wide), [&](const Graph&, const Node& node, const std::vector<Tensor>& results) {
        if (node.type() != "Const") see(node, results);
      });
  return found;
}

// Of all nodes; those of branches and bodies come before the node that owns them.
std::vector<std::string> NamesInOrder(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodeId id : graph.TopologicalOrder()) {
    for (const Subgraph& nested : graph.node(id).subgraphs) {
      for (std::string& name : NamesInOrder(*nested.graph)) names.push_back(std::move(name));
    }
    names.push_back(graph.node(id).name);
  }
  return names;
}

void Sample(const Graph& floats, const Graph& compiled, const Names& halves,
            const std::vector<std::vector<Tensor>>& samples, OverflowForecasts* to) {
  to->sampled = true;
  const bool comparable = TakeTheSame(floats, compiled);
  std::map<std::string, OverflowForecast> beyond;  // by node, over all samples
  Names infinite;
  const std::unique_ptr<Graph> wide = floats.Clone();
  WidenAll(*wide);
  for (const std::vector<Tensor>& sample : samples) {
    std::vector<Tensor> wanted, given;
    for (const OverflowForecast& seen : Beyond(*wide, halves, sample, &wanted)) {
      OverflowForecast& all = beyond.try_emplace(seen.node, seen).first->second;
      all.low = std::min(all.low, seen.low);
      all.high = std::max(all.high, seen.high);
    }
    if (!comparable) continue;
    infinite.merge(Infinite(compiled, sample, &given));
    for (size_t i = 0; i < wanted.size() && i < given.size(); ++i) {
      to->outputs_finite &= !IsFinite(wanted[i]) || IsFinite(given[i]);
    }
  }
  if (to->constants.fp16 && BecameInfinite(floats, compiled, to->constants.node)) to->samples = to->constants;
  // What would overflow counts where nothing is in fp16 that could, and where the graphs cannot be compared.
  const bool would = !comparable || halves.empty();
  for (const std::string& name : NamesInOrder(floats)) {
    if (to->samples.found()) return;
    const auto candidate = beyond.find(name);
    if (candidate == beyond.end() || !(would || infinite.contains(candidate->first))) continue;
    to->samples = candidate->second;
    if (infinite.contains(candidate->first)) to->samples.fp16 = true;
  }
}

}  // namespace

const OverflowForecast& OverflowForecasts::verdict() const {
  if (sampled) return samples;
  return constants.found() && constants.fp16 ? constants : ranges.found() ? ranges : constants;
}

OverflowForecasts ForecastOverflow(const Graph& floats, const Graph& compiled, const std::vector<ValueRange>& ranges,
                                   const std::vector<std::vector<Tensor>>& samples) {
  OverflowForecasts forecasts;
  const Names halves = NodesInHalf(compiled);
  const std::vector<ValueRange> found = FindRanges(floats, ranges);
  First by_constants(halves, &forecasts.constants), by_ranges(halves, &forecasts.ranges);
  for (const NodeId id : floats.TopologicalOrder()) {
    const Node& node = floats.node(id);
    for (const ValueId value : node.outputs) {
      if (!IsFloating(floats.desc(value).dtype)) continue;
      const bool constant = node.type() == "Const";
      (constant ? by_constants : by_ranges).See(node, found[value]);
      if (forecasts.unbounded.empty() && !constant && !found[value].bounded()) forecasts.unbounded = node.name;
    }
  }
  if (!samples.empty()) Sample(floats, compiled, halves, samples, &forecasts);
  return forecasts;
}

}  // namespace atc
