// The C functions of esb_funcs.h.
#include "ge/esb_funcs.h"

#include <fstream>
#include <iterator>

#include "ge/es_c_graph_builder.h"
#include "ge/es_graph_builder.h"
#include "graph/attr_value.h"

namespace {

template <typename T>
EsCTensorHolder* Const(EsCGraphBuilder* graph, const T* value, const int64_t* dims, int64_t dim_num, C_DataType type) {
  return ge::es::EsCreateConst(graph, value, dims, dim_num, static_cast<ge::DataType>(type));
}

template <typename T>
EsCTensorHolder* Vector(EsCGraphBuilder* graph, const T* value, int64_t length, C_DataType type) {
  return Const(graph, value, &length, 1, type);
}

template <typename T>
EsCTensorHolder* Scalar(EsCGraphBuilder* graph, T value, C_DataType type) {
  return Const(graph, &value, nullptr, 0, type);
}

template <typename T>
uint32_t ForNode(EsCTensorHolder* tensor, const char* name, const T& value) {
  return tensor == nullptr || name == nullptr ? ge::GRAPH_FAILED : tensor->GetProducer().SetAttr(name, value);
}

template <typename T>
uint32_t ForTensor(EsCTensorHolder* tensor, const char* name, const T& value) {
  if (tensor == nullptr || name == nullptr) return ge::GRAPH_FAILED;
  ge::AttrValue attr;
  attr.SetAttrValue(value);
  return tensor->GetProducer().SetOutputAttr(name, static_cast<uint32_t>(tensor->GetOutIndex()), attr);
}

template <typename T>
uint32_t ForGraph(EsCGraphBuilder* graph, const char* name, const T& value) {
  if (graph == nullptr || name == nullptr || graph->GetGraph() == nullptr) return ge::GRAPH_FAILED;
  ge::AttrValue attr;
  attr.SetAttrValue(value);
  return graph->GetGraph()->SetAttr(name, attr);
}

}  // namespace

namespace ge {
namespace es {

EsCTensorHolder* AddConst(EsCGraphBuilder* graph, const Tensor* value) {
  if (graph == nullptr || value == nullptr || graph->GetGraph() == nullptr) return nullptr;
  Operator constant(graph->GenerateNodeName("Const").GetString(), "Const");
  constant.SetAttr("value", *value);
  return graph->GetTensorHolderFromNode(graph->GetGraph()->AddNodeByOp(constant), 0);
}

}  // namespace es
}  // namespace ge

extern "C" {

EsCGraphBuilder* EsCreateGraphBuilder(const char* name) { return new EsCGraphBuilder(name); }
void EsDestroyGraphBuilder(EsCGraphBuilder* graph) { delete graph; }
EsCGraph* EsBuildGraphAndReset(EsCGraphBuilder* graph) {
  return graph == nullptr ? nullptr : reinterpret_cast<EsCGraph*>(graph->BuildGraphAndReset().release());
}
uint32_t EsSetGraphOutput(EsCTensorHolder* tensor, int64_t output_index) {
  return tensor == nullptr ? ge::FAILED : tensor->GetOwnerBuilder().SetGraphOutput(tensor, output_index);
}

EsCTensorHolder* EsCreateGraphInputWithDetails(EsCGraphBuilder* graph, int64_t index, const char* name,
                                               const char* type, C_DataType data_type, C_Format format,
                                               const int64_t* shape, int64_t dim_num) {
  if (graph == nullptr || index != static_cast<int32_t>(index)) return nullptr;
  return graph->AddGraphInput(static_cast<int32_t>(index), name, type, data_type, format, shape, dim_num);
}
EsCTensorHolder* EsCreateGraphInput(EsCGraphBuilder* graph, int64_t index) {
  return EsCreateGraphInputWithDetails(graph, index, nullptr, nullptr, C_DT_FLOAT, C_FORMAT_ND, nullptr, 0);
}
EsCTensorHolder* EsCreateVariable(EsCGraphBuilder* graph, int32_t index, const char* name) {
  if (graph == nullptr || graph->GetGraph() == nullptr) return nullptr;
  ge::Operator variable(name == nullptr ? graph->GenerateNodeName("Variable").GetString() : name, "Variable");
  variable.SetAttr("index", static_cast<int64_t>(index));
  return graph->GetTensorHolderFromNode(graph->GetGraph()->AddNodeByOp(variable), 0);
}

EsCTensorHolder* EsCreateConstInt64(EsCGraphBuilder* g, const int64_t* value, const int64_t* dims, int64_t n) {
  return Const(g, value, dims, n, C_DT_INT64);
}
EsCTensorHolder* EsCreateConstInt32(EsCGraphBuilder* g, const int32_t* value, const int64_t* dims, int64_t n) {
  return Const(g, value, dims, n, C_DT_INT32);
}
EsCTensorHolder* EsCreateConstUInt64(EsCGraphBuilder* g, const uint64_t* value, const int64_t* dims, int64_t n) {
  return Const(g, value, dims, n, C_DT_UINT64);
}
EsCTensorHolder* EsCreateConstUInt32(EsCGraphBuilder* g, const uint32_t* value, const int64_t* dims, int64_t n) {
  return Const(g, value, dims, n, C_DT_UINT32);
}
EsCTensorHolder* EsCreateConstFloat(EsCGraphBuilder* g, const float* value, const int64_t* dims, int64_t n) {
  return Const(g, value, dims, n, C_DT_FLOAT);
}
EsCTensorHolder* EsCreateVectorInt64(EsCGraphBuilder* g, const int64_t* value, int64_t n) {
  return Vector(g, value, n, C_DT_INT64);
}
EsCTensorHolder* EsCreateVectorInt32(EsCGraphBuilder* g, const int32_t* value, int64_t n) {
  return Vector(g, value, n, C_DT_INT32);
}
EsCTensorHolder* EsCreateVectorUInt64(EsCGraphBuilder* g, const uint64_t* value, int64_t n) {
  return Vector(g, value, n, C_DT_UINT64);
}
EsCTensorHolder* EsCreateVectorUInt32(EsCGraphBuilder* g, const uint32_t* value, int64_t n) {
  return Vector(g, value, n, C_DT_UINT32);
}
EsCTensorHolder* EsCreateVectorFloat(EsCGraphBuilder* g, const float* value, int64_t n) {
  return Vector(g, value, n, C_DT_FLOAT);
}
EsCTensorHolder* EsCreateScalarInt64(EsCGraphBuilder* g, int64_t value) { return Scalar(g, value, C_DT_INT64); }
EsCTensorHolder* EsCreateScalarInt32(EsCGraphBuilder* g, int32_t value) { return Scalar(g, value, C_DT_INT32); }
EsCTensorHolder* EsCreateScalarUInt64(EsCGraphBuilder* g, uint64_t value) { return Scalar(g, value, C_DT_UINT64); }
EsCTensorHolder* EsCreateScalarUInt32(EsCGraphBuilder* g, uint32_t value) { return Scalar(g, value, C_DT_UINT32); }
EsCTensorHolder* EsCreateScalarFloat(EsCGraphBuilder* g, float value) { return Scalar(g, value, C_DT_FLOAT); }

uint32_t EsSetDataType(EsCTensorHolder* tensor, C_DataType type) {
  return tensor == nullptr ? ge::FAILED : tensor->SetDataType(static_cast<ge::DataType>(type));
}
uint32_t EsSetFormat(EsCTensorHolder* tensor, C_Format format) {
  return tensor == nullptr ? ge::FAILED : tensor->SetFormat(static_cast<ge::Format>(format));
}
uint32_t EsSetShape(EsCTensorHolder* tensor, const int64_t* shape, int64_t dim_num) {
  if (tensor == nullptr || dim_num < 0 || (shape == nullptr && dim_num > 0)) return ge::FAILED;
  return tensor->SetShape(ge::Shape(std::vector<int64_t>(shape, shape + dim_num)));
}
uint32_t EsSetOriginSymbolShape(EsCTensorHolder* tensor, const char* const* shape, int64_t dim_num) {
  return tensor == nullptr ? ge::FAILED : tensor->SetOriginSymbolShape(shape, dim_num);
}
EsCGraphBuilder* EsGetOwnerBuilder(EsCTensorHolder* tensor) {
  return tensor == nullptr ? nullptr : &tensor->GetOwnerBuilder();
}
EsCNode* EsGetProducer(EsCTensorHolder* tensor) {
  return tensor == nullptr ? nullptr : reinterpret_cast<EsCNode*>(&tensor->GetProducer());
}
uint32_t EsAddControlEdge(EsCTensorHolder* to, EsCTensorHolder** from, int64_t count) {
  if (to == nullptr || (from == nullptr && count > 0)) return ge::FAILED;
  ge::Graph* graph = to->GetOwnerBuilder().GetGraph();
  for (int64_t i = 0; graph != nullptr && i < count; ++i) {
    if (from[i] == nullptr) return ge::FAILED;
    if (graph->AddControlEdge(from[i]->GetProducer(), to->GetProducer()) != ge::GRAPH_SUCCESS) return ge::FAILED;
  }
  return graph == nullptr ? ge::FAILED : ge::SUCCESS;
}

EsCTensor* EsCreateEsCTensor(const void* data, const int64_t* dim, int64_t dim_num, C_DataType data_type,
                             C_Format format) {
  std::vector<int64_t> dims;
  int64_t elements = 1;
  for (int64_t i = 0; dim != nullptr && i < dim_num; ++i) {
    dims.push_back(dim[i]);
    if (dim[i] < 0 || __builtin_mul_overflow(elements, dim[i], &elements)) return nullptr;
  }
  const int64_t bytes = ge::GetSizeInBytes(elements, static_cast<ge::DataType>(data_type));
  if (bytes < 0 || (data == nullptr && bytes > 0)) return nullptr;
  const ge::TensorDesc desc(ge::Shape(dims), static_cast<ge::Format>(format), static_cast<ge::DataType>(data_type));
  return reinterpret_cast<EsCTensor*>(
      new ge::Tensor(desc, static_cast<const uint8_t*>(data), static_cast<size_t>(bytes)));
}
EsCTensor* EsCreateEsCTensorFromFile(const char* path, const int64_t* dim, int64_t dim_num, C_DataType data_type,
                                     C_Format format) {
  std::ifstream file(path == nullptr ? "" : path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return nullptr;
  int64_t elements = 1;
  for (int64_t i = 0; dim != nullptr && i < dim_num; ++i) {
    if (dim[i] < 0 || __builtin_mul_overflow(elements, dim[i], &elements)) return nullptr;
  }
  const int64_t wanted = ge::GetSizeInBytes(elements, static_cast<ge::DataType>(data_type));
  if (wanted < 0 || bytes.size() != static_cast<size_t>(wanted)) return nullptr;
  return EsCreateEsCTensor(bytes.data(), dim, dim_num, data_type, format);
}

uint32_t EsSetInt64AttrForGraph(EsCGraphBuilder* graph, const char* name, int64_t value) {
  return ForGraph(graph, name, value);
}
uint32_t EsSetStringAttrForGraph(EsCGraphBuilder* graph, const char* name, const char* value) {
  return ForGraph(graph, name, ge::AscendString(value));
}
uint32_t EsSetBoolAttrForGraph(EsCGraphBuilder* graph, const char* name, bool value) {
  return ForGraph(graph, name, value);
}
uint32_t EsSetInt64AttrForTensor(EsCTensorHolder* tensor, const char* name, int64_t value) {
  return ForTensor(tensor, name, value);
}
uint32_t EsSetStringAttrForTensor(EsCTensorHolder* tensor, const char* name, const char* value) {
  return ForTensor(tensor, name, ge::AscendString(value));
}
uint32_t EsSetBoolAttrForTensor(EsCTensorHolder* tensor, const char* name, bool value) {
  return ForTensor(tensor, name, value);
}
uint32_t EsSetInt64AttrForNode(EsCTensorHolder* tensor, const char* name, int64_t value) {
  return ForNode(tensor, name, value);
}
uint32_t EsSetStringAttrForNode(EsCTensorHolder* tensor, const char* name, const char* value) {
  return ForNode(tensor, name, ge::AscendString(value));
}
uint32_t EsSetBoolAttrForNode(EsCTensorHolder* tensor, const char* name, bool value) {
  return ForNode(tensor, name, value);
}

}  // extern "C"
