#include "backend/executor/describe.h"

#include "backend/executor/precision.h"
#include "backend/kernels/kernel.h"
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
    std::string name = names && i < names->size() ? (*names)[i] : graph.node(value.producer).name + ":" + std::to_string(value.index);
    info.outputs.push_back(Describe(value.desc, std::move(name)));
    info.outputs.back().computed_in = precisions[i];
  }
  info.arena_bytes = static_cast<uint64_t>(model.memory_size);
  info.weight_bytes = static_cast<uint64_t>(model.weight_size);
  info.streams = static_cast<uint32_t>(model.stream_num);
  info.events = static_cast<uint32_t>(model.event_num);
  info.tasks = static_cast<uint32_t>(model.tasks.size());
  return info;
}

std::string_view FastKernelName(std::string_view op_type) { return kernels::FastKernelOf(op_type); }

}  // namespace atc
