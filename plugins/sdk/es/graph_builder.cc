// EsCGraphBuilder and EsCTensorHolder.
#include <map>

#include "compiler/ir/graph.h"
#include "ge/es_c_graph_builder.h"
#include "graph/operator.h"
#include "plugins/sdk/convert.h"
#include "plugins/sdk/handles.h"

struct EsCGraphBuilder::Impl {
  explicit Impl(const char* name) : graph(std::make_unique<ge::Graph>(name)) {}
  ~Impl() {
    for (auto it = kept.rbegin(); it != kept.rend(); ++it) it->second(it->first);
  }

  std::unique_ptr<ge::Graph> graph;  // null once it is built
  std::map<int64_t, std::pair<ge::GNode, int32_t>> outputs;
  std::map<int32_t, EsCTensorHolder*> inputs;
  std::map<std::string, int> names;
  std::vector<std::pair<void*, std::function<void(void*)>>> kept;
};

EsCGraphBuilder::EsCGraphBuilder() : EsCGraphBuilder("graph") {}
EsCGraphBuilder::EsCGraphBuilder(const char* name) : impl_(std::make_unique<Impl>(name == nullptr ? "graph" : name)) {}
EsCGraphBuilder::~EsCGraphBuilder() = default;
EsCGraphBuilder::EsCGraphBuilder(EsCGraphBuilder&&) noexcept = default;
EsCGraphBuilder& EsCGraphBuilder::operator=(EsCGraphBuilder&&) noexcept = default;

EsCTensorHolder* EsCGraphBuilder::GetTensorHolderFromNode(const ge::GNode& node, int32_t output_index) {
  if (output_index < 0 || static_cast<size_t>(output_index) >= node.GetOutputsSize()) return nullptr;
  return AddResource(std::make_unique<EsCTensorHolder>(*this, node, output_index));
}

std::vector<EsCTensorHolder*>* EsCGraphBuilder::CreateDynamicTensorHolderFromNode(const ge::GNode& node, int32_t first,
                                                                                  int32_t count) {
  auto holders = std::make_unique<std::vector<EsCTensorHolder*>>();
  for (int32_t i = 0; i < count; ++i) holders->push_back(GetTensorHolderFromNode(node, first + i));
  return AddResource(std::move(holders));
}

EsCTensorHolder* EsCGraphBuilder::AppendGraphInput(const ge::char_t* name, const ge::char_t* type) {
  const int32_t index = impl_->inputs.empty() ? 0 : impl_->inputs.rbegin()->first + 1;
  return AddGraphInput(index, name, type);
}

EsCTensorHolder* EsCGraphBuilder::AddGraphInput(int32_t index, const ge::char_t* name, const ge::char_t* type,
                                                C_DataType data_type, C_Format format, const int64_t* dims,
                                                int64_t dim_num) {
  if (impl_->graph == nullptr || index < 0 || dim_num < 0 || impl_->inputs.count(index) > 0) return nullptr;
  std::vector<int64_t> shape;
  if (dims != nullptr) shape.assign(dims, dims + dim_num);
  const std::string own = "input_" + std::to_string(index);
  ge::Operator data(name == nullptr ? own.c_str() : name, type == nullptr ? "Data" : type);
  data.SetAttr("index", static_cast<int64_t>(index));
  data.UpdateOutputDesc("y", ge::TensorDesc(ge::Shape(shape), static_cast<ge::Format>(format),
                                            static_cast<ge::DataType>(data_type)));
  EsCTensorHolder* holder = GetTensorHolderFromNode(impl_->graph->AddNodeByOp(data), 0);
  if (holder != nullptr) impl_->inputs[index] = holder;
  return holder;
}

ge::Status EsCGraphBuilder::SetGraphOutput(EsCTensorHolder* tensor, int64_t output_index) {
  if (impl_->graph == nullptr || tensor == nullptr || output_index < 0) return ge::FAILED;
  impl_->outputs[output_index] = {tensor->GetProducer(), tensor->GetOutIndex()};
  return ge::SUCCESS;
}

ge::Graph* EsCGraphBuilder::GetGraph() { return impl_->graph.get(); }

std::unique_ptr<ge::Graph> EsCGraphBuilder::BuildGraphAndReset() {
  if (impl_->graph == nullptr) return nullptr;
  std::vector<std::pair<ge::GNode, int32_t>> outputs;
  for (const auto& [index, output] : impl_->outputs) {
    if (index != static_cast<int64_t>(outputs.size())) return nullptr;
    outputs.push_back(output);
  }
  if (impl_->graph->SetOutputs(outputs) != ge::GRAPH_SUCCESS) return nullptr;
  impl_->outputs.clear();
  impl_->inputs.clear();
  return std::move(impl_->graph);
}

ge::AscendString EsCGraphBuilder::GenerateNodeName(const ge::char_t* type) {
  const std::string stem = type == nullptr ? "node" : type;
  return ge::AscendString((stem + "_" + std::to_string(impl_->names[stem]++)).c_str());
}

void* EsCGraphBuilder::Keep(void* resource, std::function<void(void*)> free) {
  impl_->kept.emplace_back(resource, std::move(free));
  return resource;
}

template <typename F>
ge::Status EsCTensorHolder::Change(F&& change) {
  const atc::Node* node = ge::Access::Get(producer_);
  atc::Graph* graph = node == nullptr ? nullptr : ge::Access::Impl(producer_)->graph->Editable();
  if (graph == nullptr || index_ < 0 || static_cast<size_t>(index_) >= node->outputs.size()) return ge::FAILED;
  ge::TensorDesc desc = ge::ToPublic(graph->desc(node->outputs[index_]));
  change(desc);
  graph->desc(node->outputs[index_]) = ge::ToInternal(desc);
  return ge::SUCCESS;
}

ge::Status EsCTensorHolder::SetDataType(const ge::DataType type) {
  return Change([&](ge::TensorDesc& desc) { desc.SetDataType(type); });
}
ge::Status EsCTensorHolder::SetOriginFormat(const ge::Format format) {
  return Change([&](ge::TensorDesc& desc) { desc.SetOriginFormat(format); });
}
ge::Status EsCTensorHolder::SetStorageFormat(const ge::Format format) {
  return Change([&](ge::TensorDesc& desc) { desc.SetFormat(format); });
}
ge::Status EsCTensorHolder::SetFormat(const ge::Format format) {
  return SetOriginFormat(format) == ge::SUCCESS ? SetStorageFormat(format) : ge::FAILED;
}
ge::Status EsCTensorHolder::SetOriginShape(const ge::Shape& shape) {
  return Change([&](ge::TensorDesc& desc) { desc.SetOriginShape(shape); });
}
ge::Status EsCTensorHolder::SetStorageShape(const ge::Shape& shape) {
  return Change([&](ge::TensorDesc& desc) { desc.SetShape(shape); });
}
ge::Status EsCTensorHolder::SetShape(const ge::Shape& shape) {
  return SetOriginShape(shape) == ge::SUCCESS ? SetStorageShape(shape) : ge::FAILED;
}
ge::Status EsCTensorHolder::SetOriginSymbolShape(const char* const* dims, const int64_t count) {
  if (dims == nullptr || count < 0) return ge::FAILED;
  const atc::Node* node = ge::Access::Get(producer_);
  atc::Graph* graph = node == nullptr ? nullptr : ge::Access::Impl(producer_)->graph->Editable();
  if (graph == nullptr) return ge::FAILED;
  std::vector<int64_t> shape;
  std::vector<std::string> symbols;
  for (int64_t i = 0; i < count; ++i) {
    const std::string text = dims[i] == nullptr ? "" : dims[i];
    const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 18;
    shape.push_back(number ? std::stoll(text) : ge::UNKNOWN_DIM);
    symbols.push_back(number ? "" : text);
  }
  atc::TensorDesc& desc = graph->desc(node->outputs[index_]);
  desc.SetShape(atc::Shape(shape));
  desc.symbols = symbols;
  return ge::SUCCESS;
}
