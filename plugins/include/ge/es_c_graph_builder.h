// Makes a graph operator by operator. What it hands out belongs to it, also after the graph is built.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "es_c_tensor_holder.h"
#include "graph/c_types.h"
#include "graph/graph.h"

struct EsCGraphBuilder {
 public:
  EsCGraphBuilder();
  explicit EsCGraphBuilder(const char* name);
  ~EsCGraphBuilder();
  EsCGraphBuilder(EsCGraphBuilder&&) noexcept;
  EsCGraphBuilder& operator=(EsCGraphBuilder&&) noexcept;
  EsCGraphBuilder(const EsCGraphBuilder&) = delete;
  EsCGraphBuilder& operator=(const EsCGraphBuilder&) = delete;

  // Null for an output that the node does not have.
  EsCTensorHolder* GetTensorHolderFromNode(const ge::GNode& node, int32_t output_index);
  std::vector<EsCTensorHolder*>* CreateDynamicTensorHolderFromNode(const ge::GNode& node, int32_t first, int32_t count);

  // The next number that is free, or one that is; null for one that is taken. `type` is Data where none is given.
  EsCTensorHolder* AppendGraphInput(const ge::char_t* name = nullptr, const ge::char_t* type = nullptr);
  EsCTensorHolder* AddGraphInput(int32_t index, const ge::char_t* name = nullptr, const ge::char_t* type = nullptr,
                                 C_DataType data_type = C_DT_FLOAT, C_Format format = C_FORMAT_ND,
                                 const int64_t* dims = nullptr, int64_t dim_num = 0);
  ge::Status SetGraphOutput(EsCTensorHolder* tensor, int64_t output_index);

  // Null once the graph is built.
  ge::Graph* GetGraph();
  // Null where outputs are missing between others.
  std::unique_ptr<ge::Graph> BuildGraphAndReset();
  // "<type>_<number>".
  ge::AscendString GenerateNodeName(const ge::char_t* type);

  // Keeps something as long as the builder lives.
  template <typename T>
  T* AddResource(std::unique_ptr<T> value, std::function<void(void*)> free = [](void* it) { delete static_cast<T*>(it); }) {
    return static_cast<T*>(Keep(value.release(), std::move(free)));
  }

 private:
  void* Keep(void* resource, std::function<void(void*)> free);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};
