#include "compiler/passes/integer_product_fusion.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/passes/channel_affine.h"
#include "compiler/passes/quantized_fusion.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

constexpr uint32_t kZeroX = 2, kZeroW = 3;  // inputs of both operators

bool IsByte(DataType dtype) { return dtype == DT_INT8 || dtype == DT_UINT8; }

bool IsOne(const Graph& graph, ValueId value) {
  const Shape& shape = graph.desc(value).origin_shape;
  return shape.IsKnown() && shape.rank() <= 1 && shape.NumElements() == 1;
}

ValueId InputOf(const Node& node, uint32_t i) { return node.inputs.size() > i ? node.inputs[i] : kNoId; }

// What the sums are multiplied by: one number for the data, known or not, and constants for the weights.
struct Scales {
  ValueId x = kNoId;          // kNoId: 1
  const Tensor* w = nullptr;  // nullptr: 1
};

class Rewriter {
 public:
  Rewriter(Graph& graph, PassContext& context, const Node& mul)
      : graph_(graph), context_(context), mul_(mul), match_(graph, mul) {}

  bool Run() {
    match_.Include(mul_.id);
    if (!match_.MayGo(mul_)) return false;
    for (uint32_t side = 0; side < 2; ++side) {
      const size_t mark = match_.mark();
      if (TakeSums(mul_.inputs[side]) && FindScales(mul_.inputs[1 - side]) && Fits()) return Replace();
      match_.Back(mark);
    }
    return false;
  }

 private:
  bool TakeSums(ValueId value) {
    const Node* cast = match_.Take(value, {"Cast"});
    if (cast == nullptr || graph_.desc(value).dtype != DT_FLOAT) return false;
    sums_ = match_.Take(cast->inputs[0], {"onnx::MatMulInteger", "onnx::ConvInteger"});
    return sums_ != nullptr && match_.IsClosed(mul_.outputs[0]);
  }

  bool convolves() const { return sums_->type() == "onnx::ConvInteger"; }

  // Of weights: a float constant of one element or of one a channel of the result.
  const Tensor* WeightScale(ValueId value) const {
    const Tensor* constant = graph_.Constant(value);
    const Shape& sums = graph_.desc(sums_->outputs[0]).origin_shape;
    if (constant == nullptr || constant->dtype() != DT_FLOAT || !sums.HasRank() || sums.rank() < 2) return nullptr;
    return PerChannel(constant, sums, convolves() ? 1 : sums.rank() - 1) ? constant : nullptr;
  }

  bool FindScales(ValueId scale) {
    if (graph_.desc(scale).dtype != DT_FLOAT || !graph_.desc(sums_->inputs[1]).origin_shape.IsKnown()) return false;
    scales_ = {};
    scales_.w = WeightScale(scale);
    if (scales_.w != nullptr) return true;
    const Node& product = graph_.producer(scale);
    if (product.type() == "Mul" && !product.fused && StreamLabelOf(product) == StreamLabelOf(mul_)) {
      for (uint32_t side = 0; side < 2; ++side) {
        scales_ = {product.inputs[side], WeightScale(product.inputs[1 - side])};
        if (IsOne(graph_, scales_.x) && scales_.w != nullptr) return true;
      }
    }
    scales_ = {scale, nullptr};
    return IsOne(graph_, scale);
  }

  bool Fits() const {
    const TensorDesc &x = graph_.desc(sums_->inputs[0]), &w = graph_.desc(sums_->inputs[1]);
    if (!IsByte(x.dtype) || !IsByte(w.dtype) || graph_.Constant(sums_->inputs[1]) == nullptr) return false;
    if (!x.origin_shape.HasRank() || x.origin_shape.rank() < 2) return false;
    if (!(graph_.desc(mul_.outputs[0]).origin_shape == graph_.desc(sums_->outputs[0]).origin_shape)) return false;
    const ValueId zero_x = InputOf(*sums_, kZeroX), zero_w = InputOf(*sums_, kZeroW);
    if (zero_x != kNoId && (!IsOne(graph_, zero_x) || graph_.desc(zero_x).dtype != x.dtype)) return false;
    if (zero_x != kNoId && scales_.x != kNoId && graph_.Constant(zero_x) == nullptr &&
        !(graph_.desc(zero_x).origin_shape == graph_.desc(scales_.x).origin_shape)) {
      return false;
    }
    const Shape& weights = w.origin_shape;
    int64_t terms = weights[0];
    if (convolves()) {
      if (weights.rank() != 4) return false;
      terms = weights[1] * weights[2] * weights[3];
    } else if (weights.rank() != 2) {
      return false;
    }
    if (terms > kMaxByteTerms) return false;
    if (zero_w == kNoId) return true;
    const Tensor* zero = graph_.Constant(zero_w);
    const int64_t channels = weights[convolves() ? 0 : 1];
    return zero != nullptr && zero->dtype() == w.dtype && zero->rank() <= 1 &&
           (zero->NumElements() == 1 || zero->NumElements() == channels);
  }

  ValueId Dequantize(ValueId data, ValueId scale, ValueId zero, int64_t axis) {
    std::vector<ValueId> inputs{data, scale};
    if (zero != kNoId) inputs.push_back(zero);
    const TensorDesc& desc = graph_.desc(data);
    Node& node = graph_.Add("onnx::DequantizeLinear", "", std::move(inputs), 1);
    node.attrs.Set("axis", axis);
    node.origin = sums_->origin;
    CopyStreamLabels(mul_, node);
    graph_.desc(node.outputs[0]) = TensorDesc(DT_FLOAT, desc.origin_shape, desc.origin_format);
    context_.journal.Made(node);
    return node.outputs[0];
  }

  ValueId DequantizedData() {
    const ValueId zero = InputOf(*sums_, kZeroX);
    const ValueId scale = scales_.x == kNoId ? Constant("x_scale", Tensor::Scalar(1.0f)) : scales_.x;
    const Tensor* constant = zero == kNoId ? nullptr : graph_.Constant(zero);
    const Shape& shape = graph_.desc(scale).origin_shape;
    return Dequantize(sums_->inputs[0], scale,
                      constant == nullptr ? zero : Constant("x_zero", constant->Reshaped(shape)), 1);
  }

  // Scale and zero point have one shape: where either goes by channels, so does the other.
  ValueId DequantizedWeights() {
    const ValueId given = InputOf(*sums_, kZeroW);
    const Tensor scale = scales_.w == nullptr ? Tensor::Scalar(1.0f) : scales_.w->Materialized();
    const Tensor zero = given == kNoId ? Tensor() : graph_.Constant(given)->Materialized();
    const int64_t count = std::max(scale.NumElements(), zero.defined() ? zero.NumElements() : 1);
    const Shape shape = count == 1 ? Shape{} : Shape{count};
    return Dequantize(sums_->inputs[1], Constant("w_scale", Spread(scale, shape)),
                      zero.defined() ? Constant("w_zero", Spread(zero, shape)) : kNoId, convolves() ? 0 : 1);
  }

  static Tensor Spread(const Tensor& one, const Shape& shape) {
    if (one.NumElements() == shape.NumElements()) return one.Reshaped(shape);
    Tensor all = Tensor::Allocate(one.dtype(), shape);
    for (size_t at = 0; at < all.NumBytes(); at += one.NumBytes())
      std::copy_n(one.Data(), one.NumBytes(), all.MutableData() + at);
    return all;
  }

  ValueId Constant(const char* what, Tensor value) { return match_.Constant(mul_.outputs[0], what, std::move(value)); }

  AttrMap Window() const {
    AttrMap window;
    const auto ints = [&](const char* name, size_t count, int64_t fallback) {
      auto values = sums_->Attr<std::vector<int64_t>>(name);
      if (values.empty()) values.assign(count, fallback);
      return values;
    };
    for (const char* name : {"strides", "dilations"}) {
      const auto of = ints(name, 2, 1);
      window.Set(name, std::vector<int64_t>{1, 1, of[0], of[1]});
    }
    const auto pads = ints("pads", 4, 0);
    window.Set("pads", std::vector<int64_t>{pads[0], pads[2], pads[1], pads[3]});
    window.Set("auto_pad", sums_->Attr<std::string>("auto_pad"));
    window.Set("groups", sums_->Attr<int64_t>("group"));
    window.Set("data_format", "NCHW");
    return window;
  }

  bool Replace() {
    if (!match_.Allow(context_, sums_->type().str() + " to float")) return false;
    const bool conv = convolves();
    const bool matrix = graph_.desc(sums_->inputs[0]).origin_shape.rank() == 2;
    const ValueId x = DequantizedData(), w = DequantizedWeights();
    const char* type = conv ? "Conv2D" : matrix ? "MatMulV2" : "BatchMatMulV2";
    const AttrMap window = conv ? Window() : AttrMap();  // of the sums, which are removed
    match_.Replace(context_, type, {x, w}, mul_.outputs[0]).attrs = window;
    return true;
  }

  Graph& graph_;
  PassContext& context_;
  const Node& mul_;
  SubgraphMatch match_;
  const Node* sums_ = nullptr;
  Scales scales_;
};

}  // namespace

bool IntegerProductFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && node.type() == "Mul" && node.inputs.size() == 2) changed |= Rewriter(graph, context, node).Run();
  }
  return changed;
}

}  // namespace atc
