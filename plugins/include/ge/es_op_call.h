// One call of an operator as a function: what the functions of es_<type>.h are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "es_graph_builder.h"
#include "es_tensor_like.h"

namespace ge {
namespace es {

class OpCall {
 public:
  // Without a builder nothing is made.
  OpCall(const char* type, EsCGraphBuilder* builder);
  ~OpCall();

  // In the order of the definition.
  OpCall& Input(const char* name, const EsTensorLike& tensor, bool optional = false);
  OpCall& DynamicInput(const char* name, const std::vector<EsTensorHolder>& tensors);
  OpCall& Output(const char* name);
  OpCall& DynamicOutput(const char* name, int64_t count);
  template <typename T>
  OpCall& Attr(const char* name, const T& value) {
    return Set(name, CreateFrom(value));
  }
  OpCall& Attr(const char* name, const std::vector<const char*>& texts) {
    return Set(name, CreateFrom(std::vector<AscendString>(texts.begin(), texts.end())));
  }
  OpCall& Attr(const char* name, std::unique_ptr<Tensor> tensor) {
    return tensor == nullptr ? *this : Set(name, CreateFrom(*tensor));
  }
  OpCall& Subgraph(const char* name, std::unique_ptr<Graph> graph);
  OpCall& Subgraphs(const char* name, std::vector<std::unique_ptr<Graph>> graphs);

  // Makes the node at the first call of one of these; holders of nothing where it cannot be made.
  EsTensorHolder Out(int32_t index = 0);
  std::vector<EsTensorHolder> Outs(int32_t first, int64_t count);

 private:
  OpCall& Set(const char* name, const AttrValue& value);
  void Make();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace es
}  // namespace ge
