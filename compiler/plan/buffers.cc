#include "compiler/plan/buffers.h"

#include <algorithm>

namespace atc {
namespace {

constexpr size_t kNoBuffer = SIZE_MAX;

int64_t AlignUp(int64_t bytes) { return (bytes + kBlockAlign - 1) / kBlockAlign * kBlockAlign; }

bool KeepsToItself(const Node& node, const NoReuse& no_reuse) {
  if (node.attrs.Get<bool>(kNoReuseFlag, false)) return true;
  const std::string type = node.type().str();
  return std::any_of(no_reuse.begin(), no_reuse.end(), [&](const std::string& wanted) {
    if (wanted == node.name || wanted == type) return true;
    return type.size() == wanted.size() + 2 && type.starts_with(wanted) && type[wanted.size()] == 'V' &&
           type.back() >= '1' && type.back() <= '4';
  });
}

}  // namespace

int64_t PaddedTensorBytes(const TensorDesc& desc) {
  const auto bytes = static_cast<int64_t>(DataTypeBytes(desc.dtype, desc.shape.NumElements()));
  return (bytes + 63) / 32 * 32;
}

std::vector<PlannedBuffer> CollectBuffers(Graph& graph, const std::vector<NodeId>& launch_order,
                                          const NoReuse& no_reuse) {
  std::vector<PlannedBuffer> buffers;
  std::vector<size_t> buffer_of(graph.value_capacity(), kNoBuffer);
  const auto touch = [&](ValueId value, NodeId by) {
    if (value != kNoId && buffer_of[value] != kNoBuffer) buffers[buffer_of[value]].users.push_back(by);
  };
  for (const NodeId id : launch_order) {
    const Node& node = graph.node(id);
    if (node.type() == "Const") continue;
    if (node.type() == "NetOutput") {
      for (const ValueId input : node.inputs) {
        if (input == kNoId || buffer_of[input] == kNoBuffer) continue;
        PlannedBuffer& buffer = buffers[buffer_of[input]];
        if (buffer.kind == PlannedBuffer::kFeature) buffer.kind = PlannedBuffer::kOutput;
      }
      continue;
    }
    if (node.Is(kShapeOnly) && !node.inputs.empty() && node.inputs[0] != kNoId &&
        buffer_of[node.inputs[0]] != kNoBuffer) {
      const size_t shared = buffer_of[node.inputs[0]];
      for (const ValueId output : node.outputs) {
        buffer_of[output] = shared;
        buffers[shared].values.push_back(output);
        graph.value(output).size = PaddedTensorBytes(graph.desc(output));
        buffers[shared].size = std::max(buffers[shared].size, AlignUp(graph.value(output).size));
      }
      continue;
    }
    for (const ValueId input : node.inputs) touch(input, id);
    const bool shares = !KeepsToItself(node, no_reuse);
    for (const ValueId output : node.outputs) {
      Value& value = graph.value(output);
      value.size = PaddedTensorBytes(value.desc);
      PlannedBuffer buffer;
      buffer.kind = node.type() == "Data" ? PlannedBuffer::kInput : PlannedBuffer::kFeature;
      buffer.values = {output};
      buffer.size = AlignUp(value.size);
      buffer.writer = id;
      buffer.users = {id};
      buffer.shares = shares;
      buffer_of[output] = buffers.size();
      buffers.push_back(std::move(buffer));
    }
  }
  return buffers;
}

}  // namespace atc
