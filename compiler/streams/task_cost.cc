#include "compiler/streams/task_cost.h"

#include <algorithm>
#include <string_view>

namespace atc {
namespace {

// A device of the size of an Ascend 910B, in rounded figures; only ratios matter.
constexpr double kLaunchUs = 1;
constexpr double kBytesPerUs = 1e6;
constexpr double kCubeFlopsPerUs = 3e8;
constexpr double kVectorFlopsPerUs = 1e7;
constexpr double kBytesPerBlock = 65536;  // of output that one core takes
constexpr double kMostBlocks = 24;

double Elements(const Shape& shape) { return shape.IsKnown() ? static_cast<double>(shape.NumElements()) : 1; }

double Bytes(const TensorDesc& desc) {
  return desc.shape.IsKnown() ? static_cast<double>(DataTypeBytes(desc.dtype, desc.shape.NumElements())) : 0;
}

// Products that are summed for one output element.
double Products(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 2 || node.inputs[0] == kNoId || node.inputs[1] == kNoId) return 1;
  const Shape& x = graph.desc(node.inputs[0]).origin_shape;
  const Shape& w = graph.desc(node.inputs[1]).origin_shape;
  const Shape& y = graph.desc(node.outputs[0]).origin_shape;
  if (!x.IsKnown() || !w.IsKnown() || !y.IsKnown()) return 1;
  if (std::string_view(node.type()).starts_with("Conv")) {
    return w.rank() > 0 && w[0] > 0 ? Elements(w) / static_cast<double>(w[0]) : 1;
  }
  // Rows times K of the left operand, over the rows of the result.
  if (x.rank() < 2 || y.rank() < 2 || y[y.rank() - 2] <= 0) return x.rank() > 0 ? static_cast<double>(x[x.rank() - 1]) : 1;
  return static_cast<double>(x[x.rank() - 1]) * static_cast<double>(x[x.rank() - 2]) /
         static_cast<double>(y[y.rank() - 2]);
}

// Multiplications and additions of the products that a node stands for.
double ProductFlops(const Graph& graph, const Node& node) {
  if (node.Is(kHeavy)) return node.outputs.empty() ? 0 : 2 * Elements(graph.desc(node.outputs[0]).origin_shape) * Products(graph, node);
  double flops = 0;
  for (NodeId id = 0; node.fused && id < node.fused->node_capacity(); ++id) {
    if (node.fused->node(id).alive) flops += ProductFlops(*node.fused, node.fused->node(id));
  }
  return flops;
}

}  // namespace

TaskCost CostOf(const Graph& graph, const Node& node, const OpSummary& measured) {
  TaskCost cost;
  if (const auto it = measured.find(node.name); it != measured.end()) {
    cost.us = it->second.us;
    cost.cube = it->second.cube;
    cost.blocks = std::max(1, it->second.blocks + it->second.mix_blocks);
    cost.measured = true;
    return cost;
  }
  double bytes = 0;
  double elements = 0;
  double output_bytes = 0;
  for (const ValueId input : node.inputs) {
    if (input != kNoId) bytes += Bytes(graph.desc(input));
  }
  for (const ValueId output : node.outputs) {
    output_bytes += Bytes(graph.desc(output));
    elements += Elements(graph.desc(output).origin_shape);
  }
  cost.cube = node.def->unit == Unit::kCube || node.Is(kHeavy);
  const double products = ProductFlops(graph, node);
  const double flops = products > 0 ? products : elements;
  cost.us = kLaunchUs + std::max((bytes + output_bytes) / kBytesPerUs,
                                 flops / (cost.cube ? kCubeFlopsPerUs : kVectorFlopsPerUs));
  cost.blocks = std::clamp(output_bytes / kBytesPerBlock, 1.0, kMostBlocks);
  return cost;
}

}  // namespace atc
