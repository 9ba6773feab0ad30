#include "backend/executor/describe.h"

#include <algorithm>

#include "backend/executor/precision.h"
#include "backend/kernels/kernel.h"
#include "compiler/ir/gears.h"
#include "compiler/om/reader.h"

namespace atc {
namespace {

TensorInfo Describe(const TensorDesc& desc, std::string name) {
  TensorInfo info;
  info.name = std::move(name);
  info.dtype = desc.dtype;
  info.format = desc.origin_format;
  info.shape = desc.origin_shape;
  for (const DimRange& range : desc.ranges) info.ranges.emplace_back(range.min, range.max);
  int64_t elements = desc.origin_shape.NumElements();
  if (elements < 0 && !desc.ranges.empty()) {  // the largest that the ranges allow, if they have an end
    elements = 1;
    for (const DimRange& range : desc.ranges) elements = range.max < 0 ? 0 : elements * range.max;
  }
  if (elements > 0) info.bytes = DataTypeBytes(desc.dtype, elements);
  return info;
}

// The dims that all have, kUnknownDim where they differ.
Shape Common(const std::vector<Shape>& shapes) {
  Shape common = shapes[0];
  for (const Shape& shape : shapes) {
    if (!shape.HasRank() || !common.HasRank() || shape.rank() != common.rank()) return Shape::UnknownRank();
    for (size_t i = 0; i < shape.rank(); ++i) {
      if (shape[i] != common[i]) common[i] = kUnknownDim;
    }
  }
  return common;
}

// Of the gear that has most.
uint32_t MostTasks(const Gears& gears) {
  uint32_t most = 0;
  for (const Gears::Gear& gear : gears.gears) {
    uint32_t tasks = 0;
    for (NodeId id = 0; id < gear.graph->node_capacity(); ++id) tasks += gear.graph->node(id).stream >= 0 ? 1 : 0;
    most = std::max(most, tasks);
  }
  return most;
}

void DescribeGears(const Graph& graph, const Gears& gears, ModelInfo* info) {
  info->gears.kind = gears.kind;
  const std::vector<NodeId> inputs = graph.Inputs();
  const std::vector<std::vector<Shape>> shapes = GearInputShapes(graph, gears);
  std::vector<std::vector<Shape>> of_input(inputs.size()), of_output(info->outputs.size());
  for (size_t g = 0; g < gears.gears.size(); ++g) {
    GearInfo::Gear& gear = info->gears.gears.emplace_back();
    gear.sizes = gears.gears[g].sizes;
    gear.inputs = shapes[g];
    const Graph& copy = *gears.gears[g].graph;
    for (const ValueId result : copy.NetOutput()->inputs) gear.outputs.push_back(copy.desc(result).origin_shape);
    for (size_t i = 0; i < of_input.size(); ++i) of_input[i].push_back(gear.inputs[i]);
    for (size_t i = 0; i < std::min(of_output.size(), gear.outputs.size()); ++i)
      of_output[i].push_back(gear.outputs[i]);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node& data = graph.node(inputs[i]);
    if (data.attrs.Get<bool>(kIsGearData, false)) info->gears.input = i;
    const auto* dims = data.attrs.FindAs<std::vector<int64_t>>(kGearDims);
    const bool as_given = dims != nullptr && dims->size() == info->inputs[i].shape.rank();
    info->inputs[i].shape = as_given ? Shape(*dims) : Common(of_input[i]);
  }
  for (size_t i = 0; i < of_output.size(); ++i) {
    if (!of_output[i].empty()) info->outputs[i].shape = Common(of_output[i]);
  }
}

}  // namespace

ModelInfo DescribeModel(const OmModel& model) {
  const Graph& graph = *model.graph;
  ModelInfo info;
  info.name = model.name;
  for (const NodeId id : graph.Inputs()) {
    const Node& node = graph.node(id);
    info.inputs.push_back(Describe(graph.desc(node.outputs[0]), node.name));
  }
  const auto* names = model.attrs.FindAs<std::vector<std::string>>("attr_model_out_nodes_name");
  const Node& net_output = *graph.NetOutput();
  const std::vector<DataType> precisions = OutputPrecisions(graph);
  for (size_t i = 0; i < net_output.inputs.size(); ++i) {
    const Value& value = graph.value(net_output.inputs[i]);
    std::string name =
        names && i < names->size() ? (*names)[i] : graph.node(value.producer).name + ":" + std::to_string(value.index);
    info.outputs.push_back(Describe(value.desc, std::move(name)));
    info.outputs.back().computed_in = precisions[i];
  }
  if (const Gears gears = GearsOf(graph); !gears.empty()) DescribeGears(graph, gears, &info);
  info.arena_bytes = static_cast<uint64_t>(model.memory_size);
  info.weight_bytes = static_cast<uint64_t>(model.weight_size);
  info.streams = static_cast<uint32_t>(model.stream_num);
  info.events = static_cast<uint32_t>(model.event_num);
  info.tasks = static_cast<uint32_t>(model.tasks.size());
  if (!info.gears.empty()) info.tasks += MostTasks(GearsOf(graph));
  return info;
}

std::string_view FastKernelName(std::string_view op_type) { return kernels::FastKernelOf(op_type); }

}  // namespace atc
