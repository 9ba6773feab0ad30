// What an inference function sees: descs of the inputs, what is known of their values, and the outputs to describe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// What is known of a small integer tensor: its shape, and each element or nothing.
struct PartialInts {
  Shape shape;                                   // rank 0 or 1 in practice
  std::vector<std::optional<int64_t>> elements;  // row-major

  bool IsKnown() const;
};

class InferContext {
 public:
  // Values are asked for by number: a constant if there is one, partial knowledge if there is some.
  struct Known {
    const Tensor* constant = nullptr;
    const PartialInts* partial = nullptr;
  };

  InferContext(const Node& node, std::vector<TensorDesc> inputs, std::vector<Known> known);

  const Node& node() const { return node_; }
  template <typename T>
  T Attr(Name name) const {
    return node_.Attr<T>(name);
  }

  size_t num_inputs() const { return inputs_.size(); }
  bool HasInput(size_t i) const { return i < inputs_.size() && inputs_[i].dtype != DT_UNDEFINED; }
  // Origin views. Only where HasInput(i).
  const TensorDesc& In(size_t i) const { return inputs_[i]; }
  const Shape& InShape(size_t i) const { return inputs_[i].origin_shape; }
  DataType InType(size_t i) const { return inputs_[i].dtype; }

  // The whole tensor when it is a constant; else nullptr.
  const Tensor* Constant(size_t i) const { return i < known_.size() ? known_[i].constant : nullptr; }
  // Integers of input i as far as they are known: from a constant or from partial knowledge; nothing when not even the
  // length is known.
  std::optional<PartialInts> Ints(size_t i) const;
  // All integers of input i, when every one is known.
  std::optional<std::vector<int64_t>> KnownInts(size_t i) const;

  size_t num_outputs() const { return outputs_.size(); }
  bool WantsOutput(size_t i) const { return i < outputs_.size(); }
  // Ignored where the node has no such output.
  void SetOut(size_t i, DataType dtype, Shape shape);
  void SetOut(size_t i, DataType dtype, Shape shape, Format format);
  TensorDesc& Out(size_t i) { return outputs_[i]; }
  // The whole desc, that of a sequence's elements included. Ignored where the node has no such output.
  void SetOutLike(size_t i, const TensorDesc& desc);
  // Says what is known of an output's integers.
  void SetInts(size_t i, PartialInts ints);

  // One input of a nested graph.
  struct NestedInput {
    TensorDesc desc;
    Known known;
  };
  // Input i of this node, handed on to a nested graph.
  NestedInput Given(size_t i) const { return {inputs_[i], known_[i]}; }
  // Descs of a nested graph's outputs, given its inputs in the order of Graph::Inputs(); set by the inference pass.
  // A trial leaves the graph as it is: what holds for some guess at the inputs is not folded into it.
  std::function<std::vector<TensorDesc>(Graph&, const std::vector<NestedInput>&, bool trial)> infer_graph;

  // Shapes or attributes that do not fit: throws Error E14001 naming the node; `message` says what was found and wanted.
  [[noreturn]] void Fail(const std::string& message) const;

  std::vector<TensorDesc> TakeOutputs() { return std::move(outputs_); }
  std::vector<std::optional<PartialInts>> TakeInts() { return std::move(ints_); }

 private:
  const Node& node_;
  std::vector<TensorDesc> inputs_;
  std::vector<Known> known_;
  std::vector<TensorDesc> outputs_;
  std::vector<std::optional<PartialInts>> ints_;
};

}  // namespace atc
