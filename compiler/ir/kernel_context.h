// What a reference kernel sees: the node, its input tensors, and a way to make its outputs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc {

class KernelContext {
 public:
  // Makes memory for output `index`; the executor gives planned memory, everyone else new memory.
  using Allocator = std::function<Tensor(size_t index, DataType dtype, const Shape& shape)>;
  // Evaluates a nested graph; set by the evaluator for operators that own subgraphs.
  using RunGraph = std::function<std::vector<Tensor>(const Graph& graph, std::vector<Tensor> inputs)>;

  // `inputs` in definition order, undefined tensors where an optional input is absent.
  KernelContext(const Node& node, std::vector<Tensor> inputs, Allocator allocate, RunGraph run_graph = {});

  const Node& node() const { return node_; }
  template <typename T>
  T Attr(Name name) const {
    return node_.Attr<T>(name);
  }

  size_t num_inputs() const { return inputs_.size(); }
  bool HasInput(size_t i) const { return i < inputs_.size() && inputs_[i].defined(); }
  // Only where HasInput(i).
  const Tensor& In(size_t i) const { return inputs_[i]; }
  DataType InType(size_t i) const { return inputs_[i].dtype(); }
  const Shape& InShape(size_t i) const { return inputs_[i].shape(); }

  size_t num_outputs() const { return outputs_.size(); }
  // Whether output i exists on this node; kernels skip optional outputs that nobody asked for.
  bool WantsOutput(size_t i) const { return i < outputs_.size(); }
  // Makes output i, zero-filled only if the allocator does: kernels write every element.
  Tensor& Out(size_t i, DataType dtype, const Shape& shape);
  // Makes output i an existing tensor (Reshape and the like share their input's buffer).
  void SetOut(size_t i, Tensor tensor) { outputs_[i] = std::move(tensor); }

  std::vector<Tensor> Run(const Graph& graph, std::vector<Tensor> inputs) const {
    return run_graph_(graph, std::move(inputs));
  }

  // What the data made impossible (an index out of range, shapes that do not broadcast): throws Error E19999 naming the
  // node. `message` says the value found and the value wanted.
  [[noreturn]] void Fail(const std::string& message) const;

  // What follows from the node alone and is dear to make (a forest from its attributes): kept by whoever runs the node
  // again and again, empty until the first run. It must be of one node, and T always the same for it.
  using Kept = std::shared_ptr<const void>;
  void KeepIn(Kept* kept) { kept_ = kept; }
  template <typename T, typename Make>
  std::shared_ptr<const T> Keep(Make make) const {
    if (kept_ == nullptr) return std::make_shared<const T>(make());
    if (*kept_ == nullptr) *kept_ = std::make_shared<const T>(make());
    return std::static_pointer_cast<const T>(*kept_);
  }

  std::vector<Tensor> TakeOutputs() { return std::move(outputs_); }

 private:
  const Node& node_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  Allocator allocate_;
  RunGraph run_graph_;
  Kept* kept_ = nullptr;
};

}  // namespace atc
