#include "backend/executor/task_time.h"

#include <algorithm>
#include <string_view>

#include "backend/kernels/kernel.h"

namespace atc {
namespace {

// Of one core, in round figures.
constexpr double kCallUs = 0.5;            // of any kernel
constexpr double kBytesPerUs = 8000;       // read and written
constexpr double kHalfPerUs = 2000;        // fp16 elements widened or narrowed
constexpr double kHeavyFlopsPerUs = 40000;  // convolution and matrix product
constexpr double kVectorFlopsPerUs = 2000;
constexpr double kReferenceFlopsPerUs = 100;
// Of a team: what it must be worth, and which part of the ideal it reaches. Its start takes a fifth of that where cores are
// free; where they are busy its members wait for each other's turns, which no small task is worth.
constexpr double kTeamUs = 8.0;
constexpr double kTeamEfficiency = 0.85;

double Elements(const TensorDesc& desc) {
  return desc.origin_shape.IsKnown() ? static_cast<double>(desc.origin_shape.NumElements()) : 1;
}

double Bytes(const TensorDesc& desc) {
  return desc.origin_shape.IsKnown() ? static_cast<double>(DataTypeBytes(desc.dtype, desc.origin_shape.NumElements())) : 0;
}

bool IsHalfType(DataType dtype) { return dtype == DT_FLOAT16 || dtype == DT_BF16; }

// Products that are summed for one output element of a convolution or matrix product.
double Products(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 2 || node.inputs[0] == kNoId || node.inputs[1] == kNoId) return 1;
  const Shape& x = graph.desc(node.inputs[0]).origin_shape;
  const Shape& w = graph.desc(node.inputs[1]).origin_shape;
  if (std::string_view(node.type()).starts_with("Conv")) {
    return w.rank() > 0 && w[0] > 0 && w.IsKnown() ? static_cast<double>(w.NumElements()) / static_cast<double>(w[0]) : 1;
  }
  return x.rank() > 0 && x[x.rank() - 1] > 0 ? static_cast<double>(x[x.rank() - 1]) : 1;
}

// Multiplications and additions of the convolutions and matrix products that a node stands for.
double HeavyFlops(const Graph& graph, const Node& node) {
  if (node.Is(kHeavy)) return 2 * Elements(graph.desc(node.outputs[0])) * Products(graph, node);
  double flops = 0;
  for (NodeId id = 0; node.fused && id < node.fused->node_capacity(); ++id) {
    if (node.fused->node(id).alive) flops += HeavyFlops(*node.fused, node.fused->node(id));
  }
  return flops;
}

// Whether a fast kernel may serve the operator; elementwise ones, fused or not, come beside those that have a name.
bool IsFast(const Node& node) {
  return node.fused || node.Is(kElementwise) || kernels::FastKernelOf(std::string_view(node.type())) != "reference";
}

// Of the graphs that a node owns the one that takes longest counts, run once: which runs, and how often, nobody knows.
TaskTime TimeOfGraphs(const Node& node, int cores) {
  TaskTime longest;
  for (const Subgraph& subgraph : node.subgraphs) {
    TaskTime time;
    const Graph& graph = *subgraph.graph;
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      if (!graph.node(id).alive || graph.node(id).Is(kNoTask)) continue;
      const TaskTime one = EstimateTaskTime(graph, graph.node(id), cores);
      time.alone_us += one.alone_us;
      time.team_us += std::min(one.alone_us, one.team_us);
    }
    if (time.alone_us > longest.alone_us) longest = time;
  }
  longest.alone_us += kCallUs;
  longest.team_us += kCallUs;
  return longest;
}

}  // namespace

TaskTime EstimateTaskTime(const Graph& graph, const Node& node, int cores) {
  double bytes = 0;
  double halves = 0;
  double elements = 0;
  const auto count = [&](const TensorDesc& desc) {
    bytes += Bytes(desc);
    if (IsHalfType(desc.dtype)) halves += Elements(desc);
  };
  for (const ValueId input : node.inputs) {
    // Constants were prepared at load; they are read, but in their own layout.
    if (input != kNoId) count(graph.desc(input));
  }
  for (const ValueId output : node.outputs) {
    count(graph.desc(output));
    elements += Elements(graph.desc(output));
  }
  const bool fast = IsFast(node);
  const double steps = node.fused ? static_cast<double>(node.fused->num_nodes()) : 1;
  const double flops = HeavyFlops(graph, node);
  const double rate = fast ? flops > 0 ? kHeavyFlopsPerUs : kVectorFlopsPerUs : kReferenceFlopsPerUs;
  TaskTime time;
  if (!node.subgraphs.empty()) return TimeOfGraphs(node, cores);
  const double work = bytes / kBytesPerUs + halves / kHalfPerUs + (flops + elements * steps) / rate;
  time.alone_us = kCallUs + work;
  time.team_us = time.alone_us;
  if (fast && cores > 1) time.team_us = kCallUs + kTeamUs + work / (cores * kTeamEfficiency);
  return time;
}

}  // namespace atc
