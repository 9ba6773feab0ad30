// Graphs written as expressions:
//   auto builder = ge::es::EsGraphBuilder("pattern");
//   auto [a, b] = builder.CreateInputs<2>();
//   auto graph = builder.BuildAndReset({ge::es::Add(a, b)});
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "compliant_node_builder.h"
#include "es_c_graph_builder.h"
#include "es_tensor_holder.h"
#include "graph/graph.h"

namespace ge {
namespace es {

template <typename T>
std::unique_ptr<Tensor> CreateTensor(const T* value, const int64_t* dims, int64_t dim_num, DataType type,
                                     Format format = FORMAT_ND) {
  return std::unique_ptr<Tensor>(reinterpret_cast<Tensor*>(EsCreateEsCTensor(
      value, dims, dim_num, static_cast<C_DataType>(type), static_cast<C_Format>(format))));
}

template <typename T>
std::unique_ptr<Tensor> CreateTensorFromFile(const char* path, const std::vector<int64_t>& dims, DataType type,
                                             Format format = FORMAT_ND) {
  return std::unique_ptr<Tensor>(reinterpret_cast<Tensor*>(
      EsCreateEsCTensorFromFile(path, dims.data(), static_cast<int64_t>(dims.size()), static_cast<C_DataType>(type),
                                static_cast<C_Format>(format))));
}

// Null without value or graph.
EsCTensorHolder* AddConst(EsCGraphBuilder* graph, const Tensor* value);

template <typename T>
EsCTensorHolder* EsCreateConst(EsCGraphBuilder* graph, const T* value, const int64_t* dims, int64_t dim_num,
                               DataType type, Format format = FORMAT_ND) {
  return AddConst(graph, CreateTensor(value, dims, dim_num, type, format).get());
}

class EsGraphBuilder {
 public:
  explicit EsGraphBuilder(const char* name) : graph_builder_(EsCreateGraphBuilder(name), EsDestroyGraphBuilder) {}

  template <typename T>
  std::unique_ptr<Tensor> CreateTensor(const std::vector<T>& value, const std::vector<int64_t>& dims, DataType type,
                                       Format format = FORMAT_ND) {
    return es::CreateTensor(value.data(), dims.data(), static_cast<int64_t>(dims.size()), type, format);
  }
  std::unique_ptr<Tensor> CreateBoolTensor(const std::vector<bool>& value, const std::vector<int64_t>& dims,
                                           Format format = FORMAT_ND) {
    const std::vector<uint8_t> bytes(value.begin(), value.end());
    return CreateTensor(bytes, dims, DT_BOOL, format);
  }

  EsTensorHolder CreateInput(int64_t index) { return EsCreateGraphInput(graph_builder_.get(), index); }
  EsTensorHolder CreateInput(int64_t index, const char* name) { return CreateInput(index, name, nullptr); }
  EsTensorHolder CreateInput(int64_t index, const char* name, const char* type) {
    return EsCreateGraphInputWithDetails(graph_builder_.get(), index, name, type, C_DT_FLOAT, C_FORMAT_ND, nullptr, 0);
  }
  EsTensorHolder CreateInput(int64_t index, const char* name, DataType type, Format format,
                             const std::vector<int64_t>& shape) {
    return EsCreateGraphInputWithDetails(graph_builder_.get(), index, name, nullptr, static_cast<C_DataType>(type),
                                         static_cast<C_Format>(format), shape.data(),
                                         static_cast<int64_t>(shape.size()));
  }
  template <size_t count>
  std::array<EsTensorHolder, count> CreateInputs(size_t first = 0) {
    std::array<EsTensorHolder, count> inputs;
    for (size_t i = 0; i < count; ++i) inputs[i] = CreateInput(static_cast<int64_t>(first + i));
    return inputs;
  }
  std::vector<EsTensorHolder> CreateInputs(size_t count, size_t first = 0) {
    std::vector<EsTensorHolder> inputs;
    for (size_t i = 0; i < count; ++i) inputs.push_back(CreateInput(static_cast<int64_t>(first + i)));
    return inputs;
  }

#define OPENATC_ES_CONSTANTS(Name, T)                                                                       \
  EsTensorHolder CreateConst(const std::vector<T>& value, const std::vector<int64_t> dims) {                \
    return EsCreateConst##Name(graph_builder_.get(), value.data(), dims.data(),                             \
                               static_cast<int64_t>(dims.size()));                                          \
  }                                                                                                         \
  EsTensorHolder CreateVector(const std::vector<T>& value) {                                                \
    return EsCreateVector##Name(graph_builder_.get(), value.data(), static_cast<int64_t>(value.size()));    \
  }                                                                                                         \
  EsTensorHolder CreateScalar(T value) { return EsCreateScalar##Name(graph_builder_.get(), value); }
  OPENATC_ES_CONSTANTS(Int64, int64_t)
  OPENATC_ES_CONSTANTS(Int32, int32_t)
  OPENATC_ES_CONSTANTS(UInt64, uint64_t)
  OPENATC_ES_CONSTANTS(UInt32, uint32_t)
  OPENATC_ES_CONSTANTS(Float, float)
#undef OPENATC_ES_CONSTANTS

  template <typename T>
  EsTensorHolder CreateConst(const std::vector<T>& value, const std::vector<int64_t>& dims, DataType type,
                             Format format = FORMAT_ND) {
    return es::EsCreateConst(graph_builder_.get(), value.data(), dims.data(), static_cast<int64_t>(dims.size()), type,
                             format);
  }
  template <typename T>
  EsTensorHolder CreateConstV2(const std::vector<T>& value, const std::vector<int64_t>& dims, DataType type,
                               Format format = FORMAT_ND) {
    return CreateConst(value, dims, type, format);
  }
  EsTensorHolder CreateVariable(int32_t index, const char* name) {
    return EsCreateVariable(graph_builder_.get(), index, name);
  }

  Status SetAttr(const char* name, int64_t value) { return EsSetInt64AttrForGraph(graph_builder_.get(), name, value); }
  Status SetAttr(const char* name, const char* value) {
    return EsSetStringAttrForGraph(graph_builder_.get(), name, value);
  }
  Status SetAttr(const char* name, bool value) { return EsSetBoolAttrForGraph(graph_builder_.get(), name, value); }

  static int64_t SetOutput(const EsTensorHolder& tensor, int64_t index) {
    return EsSetGraphOutput(tensor.tensor_holder_, index);
  }
  std::unique_ptr<Graph> BuildAndReset() const {
    return std::unique_ptr<Graph>(reinterpret_cast<Graph*>(EsBuildGraphAndReset(graph_builder_.get())));
  }
  std::unique_ptr<Graph> BuildAndReset(const std::vector<EsTensorHolder>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) SetOutput(outputs[i], static_cast<int64_t>(i));
    return BuildAndReset();
  }
  EsCGraphBuilder* GetCGraphBuilder() const { return graph_builder_.get(); }

 private:
  std::unique_ptr<EsCGraphBuilder, decltype(&EsDestroyGraphBuilder)> graph_builder_;
};

inline std::vector<EsCTensorHolder*> TensorsToEsCTensorHolders(const std::vector<EsTensorHolder>& tensors) {
  std::vector<EsCTensorHolder*> holders;
  for (const EsTensorHolder& tensor : tensors) holders.push_back(tensor.GetCTensorHolder());
  return holders;
}

inline std::vector<C_DataType> DataTypesToEsCDataTypes(const std::vector<DataType>& types) {
  std::vector<C_DataType> all;
  for (const DataType type : types) all.push_back(static_cast<C_DataType>(type));
  return all;
}

}  // namespace es
}  // namespace ge
