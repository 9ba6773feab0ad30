// What an operator takes: an output of another one, a number or a list of numbers, or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "es_c_tensor_holder.h"
#include "es_graph_builder.h"
#include "es_tensor_holder.h"

namespace ge {
namespace es {

class EsTensorLike {
 public:
  EsTensorLike(const EsTensorHolder& tensor) : tensor_(tensor.GetCTensorHolder()) {}
  EsTensorLike(const std::nullptr_t) {}
  EsTensorLike(const int64_t value) : kind_(Kind::kInts), scalar_(true), ints_{value} {}
  EsTensorLike(const float value) : kind_(Kind::kFloats), scalar_(true), floats_{value} {}
  EsTensorLike(const std::vector<int64_t>& values) : kind_(Kind::kInts), ints_(values) {}
  EsTensorLike(const std::vector<float>& values) : kind_(Kind::kFloats), floats_(values) {}
  EsTensorLike(const EsTensorLike&) = delete;
  EsTensorLike& operator=(const EsTensorLike&) = delete;

  // Null where it is none's output.
  EsCGraphBuilder* GetOwnerBuilder() const { return tensor_ == nullptr ? nullptr : &tensor_->GetOwnerBuilder(); }
  // Numbers become a constant of the graph.
  EsTensorHolder ToTensorHolder(EsCGraphBuilder* graph) const;

 private:
  enum class Kind { kTensor, kInts, kFloats };

  Kind kind_ = Kind::kTensor;
  bool scalar_ = false;
  EsCTensorHolder* tensor_ = nullptr;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
};

// The builder behind the first argument that has one; null where none has.
inline EsCGraphBuilder* ResolveBuilderImpl(const EsTensorLike& tensor) { return tensor.GetOwnerBuilder(); }
inline EsCGraphBuilder* ResolveBuilderImpl(EsCTensorHolder* tensor) {
  return tensor == nullptr ? nullptr : &tensor->GetOwnerBuilder();
}
inline EsCGraphBuilder* ResolveBuilderImpl(const std::vector<EsTensorHolder>& tensors) {
  for (const EsTensorHolder& tensor : tensors) {
    if (EsCGraphBuilder* builder = ResolveBuilderImpl(tensor.GetCTensorHolder())) return builder;
  }
  return nullptr;
}
inline EsCGraphBuilder* ResolveBuilderImpl(const EsGraphBuilder* builder) {
  return builder == nullptr ? nullptr : builder->GetCGraphBuilder();
}
inline EsCGraphBuilder* ResolveBuilderImpl(EsCGraphBuilder* builder) { return builder; }
inline EsCGraphBuilder* ResolveBuilderImpl(const std::nullptr_t) { return nullptr; }
template <typename... Ts>
EsCGraphBuilder* ResolveBuilder(const Ts&... arguments) {
  EsCGraphBuilder* builder = nullptr;
  ((builder = builder == nullptr ? ResolveBuilderImpl(arguments) : builder), ...);
  return builder;
}

}  // namespace es
}  // namespace ge
