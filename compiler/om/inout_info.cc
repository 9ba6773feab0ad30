#include "compiler/om/inout_info.h"

#include "compiler/io/utf8.h"

namespace atc {
namespace {

enum RecordType : uint32_t { kInputs = 0, kOutputs = 1 };

template <typename T>
void Append(T value, std::string* to) {
  for (size_t i = 0; i < sizeof(T); ++i) to->push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

struct Item {
  std::string name;
  const TensorDesc* desc;
};

// A base record of 32 bytes, then name, dims, dims again (as they are before any conversion of the input), ranges.
void AppendItem(const Item& item, std::string* to) {
  const TensorDesc& desc = *item.desc;
  const std::vector<int64_t>& dims = desc.origin_shape.dims();
  const int64_t elements = desc.origin_shape.NumElements();
  const DataType dtype = GeProtoNumber(desc.dtype) > 0 ? desc.dtype : DT_UNDEFINED;
  Append<uint64_t>(elements < 0 ? 0 : DataTypeBytes(desc.dtype, elements), to);
  Append<int32_t>(desc.origin_format, to);
  Append<int32_t>(dtype, to);
  Append<uint32_t>(item.name.size(), to);
  Append<uint32_t>(dims.size() * sizeof(int64_t), to);
  Append<uint32_t>(dims.size() * sizeof(int64_t), to);
  Append<uint32_t>(desc.ranges.size() * 2 * sizeof(int64_t), to);
  to->append(item.name);
  for (int copy = 0; copy < 2; ++copy) {
    for (const int64_t dim : dims) Append<int64_t>(dim, to);
  }
  for (const DimRange& range : desc.ranges) {
    Append<int64_t>(range.min, to);
    Append<int64_t>(range.max, to);
  }
}

void AppendRecord(RecordType type, const std::vector<Item>& items, std::string* to) {
  std::string value;
  Append<uint32_t>(items.size(), &value);
  for (const Item& item : items) AppendItem(item, &value);
  Append<uint32_t>(type, to);
  Append<uint32_t>(value.size(), to);
  to->append(value);
}

}  // namespace

std::string InOutInfo(const OmModel& model) {
  const Graph& graph = *model.graph;
  std::vector<Item> inputs;
  for (const NodeId id : graph.Inputs()) {
    inputs.push_back({EscapeInvalidUtf8(graph.node(id).name), &graph.desc(graph.node(id).outputs[0])});
  }
  std::vector<Item> outputs;
  if (const Node* net_output = graph.NetOutput()) {
    const auto* names = model.attrs.FindAs<std::vector<std::string>>("attr_model_out_nodes_name");
    const bool named = names != nullptr && names->size() == net_output->inputs.size();
    for (size_t i = 0; i < net_output->inputs.size(); ++i) {
      const ValueId id = net_output->inputs[i];
      const Value& value = graph.value(id);
      const std::string fallback = graph.node(value.producer).name + ":" + std::to_string(value.index);
      outputs.push_back({EscapeInvalidUtf8(named ? (*names)[i] : fallback), &value.desc});
    }
  }
  std::string bytes;
  AppendRecord(kInputs, inputs, &bytes);
  AppendRecord(kOutputs, outputs, &bytes);
  return bytes;
}

}  // namespace atc
