#include "compiler/ir/device_slot.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/blocked_formats.h"
#include "compiler/ir/tensor.h"

namespace atc {
namespace {

// One channel, or one place: first or last, the elements lie the same.
bool HasOneOrder(const TensorDesc& desc) {
  const Shape& shape = desc.origin_shape;
  if (!shape.IsKnown() || shape.rank() != 4) return false;
  return std::count_if(shape.dims().begin() + 1, shape.dims().end(), [](int64_t dim) { return dim != 1; }) <= 1 ||
         shape[1] == 1;
}

}  // namespace

bool HoldsChannelsLast(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (IsBlocked(value.desc.format)) return value.desc.origin_format != FORMAT_NHWC;
  if (value.producer == kNoId) return false;
  const auto* marked = graph.node(value.producer).attrs.FindAs<std::vector<int64_t>>(kChannelsLastSlots);
  return marked != nullptr && std::find(marked->begin(), marked->end(), value.index) != marked->end();
}

std::optional<std::vector<int64_t>> TransposedInside(const Node& node) {
  if (!(node.type() == "TransData") || !node.fused) return std::nullopt;
  for (NodeId id = 0; id < node.fused->node_capacity(); ++id) {
    const Node& member = node.fused->node(id);
    if (member.alive && member.type() == "Transpose") return MovedOrder(*node.fused, member);
  }
  return std::nullopt;
}

std::optional<std::vector<int64_t>> MovedOrder(const Graph& graph, const Node& node) {
  if (!(node.type() == "Transpose") || node.fused) return TransposedInside(node);
  const Tensor* perm = graph.ConstantInput(node, 1);
  if (perm == nullptr) return std::nullopt;
  return ToInts(perm->Materialized());
}

bool KeepsSlot(const Graph& graph, const Node& node) {
  if (!(node.type() == "TransData") && !(node.type() == "Transpose")) return false;
  if (node.inputs.empty() || node.inputs[0] == kNoId || node.outputs.size() != 1) return false;
  const bool from = HoldsChannelsLast(graph, node.inputs[0]);
  const bool to = HoldsChannelsLast(graph, node.outputs[0]);
  if (node.type() == "TransData" && !node.fused) return from == to || HasOneOrder(graph.desc(node.outputs[0]));
  const auto order = MovedOrder(graph, node);
  if (from == to || !order || graph.desc(node.inputs[0]).dtype != graph.desc(node.outputs[0]).dtype) return false;
  return *order == (to ? std::vector<int64_t>{0, 3, 1, 2} : std::vector<int64_t>{0, 2, 3, 1});
}

TensorDesc InputDesc(const Graph& graph, const Node& node, size_t input) {
  TensorDesc desc = graph.desc(node.inputs[input]);
  const auto* formats = node.attrs.FindAs<std::vector<std::string>>(kPreparedFormats);
  if (formats == nullptr || input >= formats->size() || (*formats)[input].empty()) return desc;
  const Format storage = FormatFromName((*formats)[input]);
  const Shape stored =
      StoredShape(storage, desc.origin_format, desc.origin_shape, desc.dtype, node.attrs.Get<int64_t>("groups", 1));
  if (!stored.HasRank()) return desc;
  desc.format = storage;
  desc.shape = stored;
  return desc;
}

}  // namespace atc
