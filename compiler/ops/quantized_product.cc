#include "compiler/ops/quantized_product.h"

#include "compiler/ir/error.h"
#include "compiler/ops/conv_spec.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/product.h"
#include "compiler/ops/quantize_number.h"

namespace atc {
namespace {

bool IsDequantize(const Node& node) { return node.type() == "onnx::DequantizeLinear"; }
bool IsQuantize(const Node& node) { return node.type() == "onnx::QuantizeLinear"; }

bool IsByte(DataType dtype) { return dtype == DT_INT8 || dtype == DT_UINT8; }

bool IsScalar(const Graph& graph, const Node& node, uint32_t input) {
  const Shape& shape = graph.desc(node.inputs[input]).origin_shape;
  return shape.IsKnown() && shape.rank() <= 1 && shape.NumElements() == 1;
}

bool OneScale(const Graph& graph, const Node& node) {
  if (graph.desc(node.inputs[1]).dtype != DT_FLOAT || !IsScalar(graph, node, 1)) return false;
  return node.inputs.size() < 3 || node.inputs[2] == kNoId || IsScalar(graph, node, 2);
}

int PortOf(const Graph& graph, ValueId value) {
  const Node& source = graph.producer(value);
  return source.type() == "Data" ? static_cast<int>(source.Attr<int64_t>("index")) : -1;
}

QuantizedOperand OperandOf(const Graph& graph, const Node& dequantize) {
  QuantizedOperand operand;
  operand.data = PortOf(graph, dequantize.inputs[0]);
  operand.scale = PortOf(graph, dequantize.inputs[1]);
  if (dequantize.inputs.size() > 2 && dequantize.inputs[2] != kNoId) operand.zero = PortOf(graph, dequantize.inputs[2]);
  return operand;
}

Tensor Shifted(const std::vector<Tensor>& inputs, const QuantizedOperand& operand, int64_t axis) {
  std::string fault;
  const Tensor zero = operand.zero < 0 ? Tensor() : inputs[operand.zero];
  Tensor result = ShiftedToInt32(inputs[operand.data], zero, axis, &fault);
  if (!fault.empty()) throw Error::Internal(fault);
  return result;
}

// Sums of products, and the axis of the channels in them.
struct Sums {
  Tensor values;
  size_t axis = 0;
};

Sums Sum(const QuantizedProduct& product, const std::vector<Tensor>& inputs) {
  const Node& heavy = *product.heavy;
  const Tensor& w = inputs[product.w.data];
  const Tensor x32 = Shifted(inputs, product.x, 1);
  if (heavy.type() == "Conv2D") {
    const ConvOutput out = FitConv(heavy, x32.shape(), w.shape());
    if (!out.fault.empty()) throw Error::Internal(out.fault);
    const Tensor w32 = Shifted(inputs, product.w, 0);
    Sums sums{Tensor::Allocate(DT_INT32, out.shape), 1};
    Convolve<uint32_t>(out.sizes, x32.Data<uint32_t>(), w32.Data<uint32_t>(), nullptr,
                       sums.values.MutableData<uint32_t>());
    return sums;
  }
  const bool batched = heavy.def->FindAttr("adj_x1") != nullptr;
  const bool transpose = heavy.Attr<bool>(batched ? "adj_x2" : "transpose_x2");
  const ProductFit fit =
      FitProduct(x32.shape(), w.shape(), heavy.Attr<bool>(batched ? "adj_x1" : "transpose_x1"), transpose);
  if (!fit.fault.empty()) throw Error::Internal(fit.fault);
  const Tensor w32 = Shifted(inputs, product.w, transpose ? -2 : -1);
  Sums sums{Tensor::Allocate(DT_INT32, fit.out), fit.out.rank() - 1};
  MultiplyBatches<uint32_t>(fit, x32, w32, sums.values);
  return sums;
}

}  // namespace

QuantizedProduct FindQuantizedProduct(const Node& node) {
  QuantizedProduct product;
  if (!node.fused || !node.Is(kHeavy)) return product;
  const Graph& graph = *node.fused;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& member = graph.node(id);
    if (!member.alive || !(member.type() == node.type())) continue;
    const auto dequantized = [&](size_t i) {
      return member.inputs.size() > i && member.inputs[i] != kNoId && IsDequantize(graph.producer(member.inputs[i]));
    };
    if (!dequantized(0) || !dequantized(1)) return product;
    product.heavy = &member;
    product.x = OperandOf(graph, graph.producer(member.inputs[0]));
    product.w = OperandOf(graph, graph.producer(member.inputs[1]));
    if (dequantized(2)) {
      product.bias = OperandOf(graph, graph.producer(member.inputs[2]));
    } else if (member.inputs.size() > 2 && member.inputs[2] != kNoId) {
      product.bias.data = PortOf(graph, member.inputs[2]);
    }
    return product;
  }
  return product;
}

Tensor FloatBias(const QuantizedProduct& product, const std::vector<Tensor>& inputs) {
  if (product.bias.data < 0 || product.bias.scale < 0) {
    return product.bias.data < 0 ? Tensor() : inputs[product.bias.data];
  }
  const Tensor shifted = Shifted(inputs, product.bias, 0);
  const Tensor& scale = inputs[product.bias.scale];
  Tensor bias = Tensor::Allocate(DT_FLOAT, shifted.shape());
  for (int64_t c = 0; c < bias.NumElements(); ++c) {
    const double by = scale.Data<float>()[scale.NumElements() == 1 ? 0 : c];
    bias.MutableData<float>()[c] = static_cast<float>(shifted.Data<int32_t>()[c] * by);
  }
  return bias;
}

Tensor Multiply(const QuantizedProduct& product, const std::vector<Tensor>& inputs) {
  const Sums sums = Sum(product, inputs);
  const Tensor bias = FloatBias(product, inputs);
  const Tensor& scale_w = inputs[product.w.scale];
  const double scale_x = *inputs[product.x.scale].Data<float>();
  const Shape& shape = sums.values.shape();
  const int64_t channels = shape[sums.axis], inner = shape.Strides()[sums.axis];
  Tensor y = Tensor::Allocate(DT_FLOAT, shape);
  for (int64_t i = 0; i < y.NumElements(); ++i) {
    const int64_t c = i / inner % channels;
    const double by = scale_x * static_cast<double>(scale_w.Data<float>()[scale_w.NumElements() == 1 ? 0 : c]);
    const double add = bias.defined() ? bias.Data<float>()[c] : 0.0f;
    y.MutableData<float>()[i] = static_cast<float>(sums.values.Data<int32_t>()[i] * by + add);
  }
  return y;
}

bool IsQuantizeOfBytes(const Graph& graph, const Node& node) {
  if (!IsQuantize(node) || node.Attr<int64_t>("precision") > 1) return false;
  return graph.desc(node.inputs[0]).dtype == DT_FLOAT && IsByte(graph.desc(node.outputs[0]).dtype) &&
         OneScale(graph, node);
}

bool IsDequantizeOfBytes(const Graph& graph, const Node& node) {
  if (!IsDequantize(node)) return false;
  return IsByte(graph.desc(node.inputs[0]).dtype) && graph.desc(node.outputs[0]).dtype == DT_FLOAT &&
         OneScale(graph, node);
}

bool IsQuantizedUnit(const Node& node) {
  if (!node.fused) return false;
  for (NodeId id = 0; id < node.fused->node_capacity(); ++id) {
    const Node& member = node.fused->node(id);
    if (member.alive && (IsQuantize(member) || IsDequantize(member))) return true;
  }
  return false;
}

}  // namespace atc
