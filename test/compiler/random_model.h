// Seeded models over the operators that passes look for: products, norms, elementwise chains, movement, equal nodes,
// constants to fold, nodes that nothing needs.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc::test {

class RandomModel {
 public:
  RandomModel(uint32_t seed, int operators) : random_(seed), graph_(std::make_unique<Graph>("random")) {
    for (int i = 0; i < 2; ++i) {
      inputs_.push_back(Floats({1, kChannels, kSide, kSide}));
      Have(graph_->AddData("", i, TensorDesc(DT_FLOAT, inputs_.back().shape(), FORMAT_NCHW)), inputs_.back().shape());
    }
    for (int i = 0; i < operators; ++i) AddOne();
    // The last values are the outputs; what else nothing uses is dead.
    std::vector<ValueId> outputs;
    for (size_t i = values_.size() - 3; i < values_.size(); ++i) outputs.push_back(values_[i].id);
    graph_->Add("NetOutput", "Node_Output", outputs, 0);
  }

  const Graph& graph() const { return *graph_; }
  const std::vector<Tensor>& inputs() const { return inputs_; }

 private:
  static constexpr int64_t kChannels = 4;
  static constexpr int64_t kSide = 6;

  struct Known {
    ValueId id;
    Shape shape;
  };

  int64_t Pick(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint32_t>(n)); }

  Tensor Floats(Shape shape, float low = -1, float high = 1) {
    std::vector<float> values(static_cast<size_t>(shape.NumElements()));
    for (float& value : values) value = low + (high - low) * static_cast<float>(Pick(10000)) / 10000.0f;
    return Tensor::From<float>(DT_FLOAT, shape, values);
  }
  ValueId Weights(Shape shape, float low = -1, float high = 1) { return graph_->AddConst("w", Floats(shape, low, high)); }
  ValueId Ints(std::vector<int64_t> values) { return graph_->AddConst("i", Tensor::Ints(std::move(values))); }

  void Have(ValueId id, Shape shape) { values_.push_back({id, std::move(shape)}); }
  const Known& Any() { return values_[static_cast<size_t>(Pick(static_cast<int64_t>(values_.size())))]; }
  // Most often one of the latest, so that chains grow.
  Known Some() {
    const auto recent = std::min<int64_t>(3, static_cast<int64_t>(values_.size()));
    return Pick(3) == 0 ? Any() : values_[values_.size() - 1 - static_cast<size_t>(Pick(recent))];
  }

  Node& Op(const char* type, std::vector<ValueId> in, Shape shape) {
    Node& node = graph_->Add(type, "", std::move(in), 1);
    node.origin = graph_->origins().Leaf(node.name);
    Have(node.outputs[0], std::move(shape));
    return node;
  }

  void AddOne() {
    const Known x = Some();
    const bool image = x.shape.rank() == 4;
    switch (Pick(15)) {
      case 0:
      case 1: return image ? Convolve(x) : Multiply(x);
      case 2: return image ? Norm(x) : Multiply(x);
      case 3:
      case 4: return Unary(x);
      case 5:
      case 6: return Binary(x);
      case 7: return WithConstant(x);
      case 8: return Transpose(x);
      case 9: return Reshape(x);
      case 10: return Concat(x);
      case 11: return Slice(x);
      case 12: return Twice(x);
      case 13: return Folded(x);
      default: return Softmax(x);
    }
  }

  void Convolve(const Known& x) {
    const int64_t out = 2 + Pick(4);
    std::vector<ValueId> in = {x.id, Weights({out, x.shape[1], 3, 3}, -0.4f, 0.4f)};
    if (Pick(2) == 0) in.push_back(Weights({out}));
    Node& node = Op("Conv2D", in, {x.shape[0], out, x.shape[2], x.shape[3]});
    node.attrs.Set("strides", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("pads", std::vector<int64_t>{1, 1, 1, 1});
    node.attrs.Set("data_format", "NCHW");
    if (Pick(3) == 0) Norm(Known(values_.back()));
  }
  void Norm(const Known& x) {
    const int64_t c = x.shape[1];
    Node& node = Op("BatchNorm", {x.id, Weights({c}), Weights({c}), Weights({c}), Weights({c}, 0.5f, 2)}, x.shape);
    node.attrs.Set("epsilon", 1e-5f);
    node.attrs.Set("data_format", "NCHW");
    node.attrs.Set("is_training", AttrValue(false));
  }
  void Multiply(const Known& x) {
    const int64_t rows = x.shape.rank() == 2 ? x.shape[0] : 0;
    if (rows == 0) return Unary(x);
    const int64_t columns = 3 + Pick(6);
    Op("MatMulV2", {x.id, Weights({x.shape[1], columns}, -0.3f, 0.3f)}, {rows, columns});
    if (Pick(2) == 0) {
      const Known product = values_.back();
      Op("Add", {product.id, Weights({columns})}, product.shape);
    }
  }
  void Unary(const Known& x) {
    constexpr const char* kTypes[] = {"Abs", "HardSwish", "Identity", "Neg", "Relu", "Relu6", "Sigmoid", "Softplus", "Tanh"};
    Op(kTypes[Pick(static_cast<int64_t>(std::size(kTypes)))], {x.id}, x.shape);
  }
  void Binary(const Known& x) {
    constexpr const char* kTypes[] = {"Add", "Maximum", "Minimum", "Mul", "Sub"};
    const Known& y = Any();
    const ValueId other = y.shape == x.shape ? y.id : x.id;
    const char* type = kTypes[Pick(static_cast<int64_t>(std::size(kTypes)))];
    // A square of squares has no bound.
    Op(type, {x.id, other}, x.shape);
    if (std::string(type) == "Mul") Op("Tanh", {values_.back().id}, x.shape);
  }
  void WithConstant(const Known& x) {
    const int64_t kind = Pick(4);
    Shape shape{};
    if (kind == 1 && x.shape.rank() == 4) shape = {x.shape[1], 1, 1};
    if (kind == 2) shape = {x.shape[x.shape.rank() - 1]};
    // Zero and one are without effect.
    const ValueId constant = kind == 3 ? graph_->AddConst("c", Tensor::Scalar(0.0f)) : Weights(shape);
    Op(kind == 3 || Pick(2) == 0 ? "Add" : "Mul", {x.id, constant}, x.shape);
  }
  void Transpose(const Known& x) {
    std::vector<int64_t> perm, dims;
    for (size_t i = 0; i < x.shape.rank(); ++i) perm.push_back(static_cast<int64_t>(i));
    std::vector<int64_t> inverse = perm;
    for (size_t i = perm.size(); i-- > 1;) std::swap(perm[i], perm[static_cast<size_t>(Pick(static_cast<int64_t>(i) + 1))]);
    for (size_t i = 0; i < perm.size(); ++i) inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
    for (const int64_t from : perm) dims.push_back(x.shape[static_cast<size_t>(from)]);
    Op("Transpose", {x.id, Ints(perm)}, Shape(dims));
    if (Pick(2) == 0) return;
    const Known turned = values_.back();
    Unary(turned);
    Op("Transpose", {values_.back().id, Ints(inverse)}, x.shape);
  }
  void Reshape(const Known& x) {
    const int64_t count = x.shape.NumElements();
    const Shape flat = x.shape.rank() == 2 ? Shape{1, x.shape[0], x.shape[1], 1} : Shape{x.shape[1], count / x.shape[1]};
    Op("Reshape", {x.id, Ints(flat.dims())}, flat);
  }
  void Concat(const Known& x) {
    const Known& y = Any();
    const ValueId other = y.shape == x.shape ? y.id : x.id;
    Shape shape = x.shape;
    shape[1] *= 2;
    if (shape.NumElements() > 2000) return Unary(x);
    Node& node = Op("ConcatD", {x.id, other}, shape);
    node.attrs.Set("concat_dim", int64_t{1});
    node.attrs.Set("N", int64_t{2});
  }
  void Slice(const Known& x) {
    if (x.shape[1] < 3) return Unary(x);
    Shape shape = x.shape;
    shape[1] -= 1;
    Op("StridedSliceV2", {x.id, Ints({1}), Ints({x.shape[1]}), Ints({1}), Ints({1})}, shape);
  }
  // Two equal nodes.
  void Twice(const Known& x) {
    Op("Sigmoid", {x.id}, x.shape);
    Op("Sigmoid", {x.id}, x.shape);
    const ValueId a = values_[values_.size() - 2].id;
    Op("Add", {a, values_.back().id}, x.shape);
  }
  // What constants alone determine.
  void Folded(const Known& x) {
    const int64_t n = x.shape[x.shape.rank() - 1];
    const ValueId sum = graph_->Add("Add", "", {Weights({n}), Weights({n})}, 1).outputs[0];
    const ValueId root = graph_->Add("Sigmoid", "", {sum}, 1).outputs[0];
    Op("Mul", {x.id, root}, x.shape);
  }
  void Softmax(const Known& x) {
    Op("SoftmaxV2", {x.id}, x.shape).attrs.Set("axes", std::vector<int64_t>{-1});
  }

  std::mt19937 random_;
  std::unique_ptr<Graph> graph_;
  std::vector<Known> values_;
  std::vector<Tensor> inputs_;
};

}  // namespace atc::test
