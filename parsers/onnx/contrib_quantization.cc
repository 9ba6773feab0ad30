// The quantised operators that ONNX Runtime's quantiser writes into domain com.microsoft: each dequantises its operands,
// computes in float and quantises, as the passes for 8-bit operators expect it.
#include "parsers/onnx/families.h"
#include "parsers/onnx/operator_body.h"

namespace atc::onnx_parser {
namespace {

constexpr const char* kDomain = "com.microsoft";
constexpr int kCoercingSoftmax = 11;  // an opset whose Softmax takes all axes from `axis` on as one

// Inputs of a quantised tensor.
struct Ports {
  size_t scale, zero;
};

// Of scale and zero point either may be one for all channels: DequantizeLinear wants as many of both.
std::string Dequantize(NodeContext& ctx, OperatorBody& body, const std::string& data, Ports ports, int64_t axis) {
  std::string scale = body.In(ports.scale), zero = body.In(ports.zero);
  if (!zero.empty()) {
    const Shape &zeros = ctx.Desc(ports.zero).origin_shape, &scales = ctx.Desc(ports.scale).origin_shape;
    if (!zeros.IsKnown() || !(zeros == scales)) {
      const std::string given = scale;
      scale = body.Add("Expand", {given, body.Add("Shape", {zero})});
      zero = body.Add("Expand", {zero, body.Add("Shape", {given})});
    }
  }
  const std::string result = body.Add("DequantizeLinear", {data, scale, zero});
  body.Set("axis", axis);
  return result;
}

// Input `at` with the scale and zero point behind it. `axis`: of scales by channel.
std::string Dequantize(NodeContext& ctx, OperatorBody& body, size_t at, int64_t axis = 1) {
  return Dequantize(ctx, body, body.In(at), {at + 1, at + 2}, axis);
}

void Quantize(OperatorBody& body, const std::string& x, size_t scale) {
  body.Finish({body.Add("QuantizeLinear", {x, body.In(scale), body.In(scale + 1)})});
}

struct Row {
  const char* type;
  const char* op;
  size_t operands;
};

// Operands with scale and zero point each, then those of the result.
constexpr Row kRows[] = {
    {"QLinearAdd", "Add", 2},
    {"QLinearAveragePool", "AveragePool", 1},
    {"QLinearGlobalAveragePool", "GlobalAveragePool", 1},
    {"QLinearLeakyRelu", "LeakyRelu", 1},
    {"QLinearMul", "Mul", 2},
    {"QLinearSigmoid", "Sigmoid", 1},
};

void RequireChannelsFirst(const NodeContext& ctx) {
  if (ctx.Int("channels_last", 0) != 0) ctx.Fail("channels_last is 1, wanted 0: images with their channels first");
}

void Elementwise(NodeContext& ctx, const Row& row) {
  RequireChannelsFirst(ctx);
  OperatorBody body(ctx);
  std::vector<std::string> operands;
  for (size_t i = 0; i < row.operands; ++i) operands.push_back(Dequantize(ctx, body, 3 * i));
  const std::string y = body.Add(row.op, operands);
  body.Copy({"alpha", "auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"});
  Quantize(body, y, 3 * row.operands);
}

void QLinearSoftmax(NodeContext& ctx) {
  OperatorBody body(ctx, ctx.Int("opset", 13) < 13 ? kCoercingSoftmax : 20);
  // The scale is one for the whole tensor.
  const std::string x = Dequantize(ctx, body, 0);
  const std::string y = body.Add("Softmax", {x});
  body.Set("axis", ctx.Int("axis", -1));
  Quantize(body, y, 3);
}

void QLinearConcat(NodeContext& ctx) {
  if (ctx.num_inputs() < 5 || (ctx.num_inputs() - 2) % 3 != 0) {
    ctx.Fail("it has " + std::to_string(ctx.num_inputs()) +
             " inputs, wanted scale and zero point of the result, then three for each tensor");
  }
  OperatorBody body(ctx);
  std::vector<std::string> parts;
  for (size_t i = 2; i < ctx.num_inputs(); i += 3) parts.push_back(Dequantize(ctx, body, i));
  const std::string y = body.Add("Concat", parts);
  body.Copy({"axis"});
  Quantize(body, y, 0);
}

void QLinearWhere(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string x = Dequantize(ctx, body, 1), y = Dequantize(ctx, body, 4);
  Quantize(body, body.Add("Where", {body.In(0), x, y}), 7);
}

// alpha * A' * B' + C, where C holds multiples of alpha * a_scale * b_scale; float where the result has no scale.
void QGemm(NodeContext& ctx) {
  OperatorBody body(ctx);
  const float alpha = ctx.Float("alpha", 1);
  const bool transposed = ctx.Int("transB", 0) != 0;
  std::vector<std::string> operands{Dequantize(ctx, body, 0), Dequantize(ctx, body, 3, transposed ? 0 : 1)};
  if (ctx.HasInput(6)) {
    std::string scale = body.Add("Mul", {body.In(1), body.In(4)});
    if (alpha != 1) scale = body.Add("Mul", {scale, body.Float(alpha)});
    operands.push_back(body.Add("DequantizeLinear", {body.In(6), scale}));
    body.Set("axis", int64_t{-1});
  }
  const std::string y = body.Add("Gemm", operands);
  body.Set("alpha", alpha).Copy({"transA", "transB"});
  ctx.HasInput(7) ? Quantize(body, y, 7) : body.Finish({y});
}

void AddBias(NodeContext& ctx, OperatorBody& body, std::string y, size_t bias) {
  if (ctx.HasInput(bias)) y = body.Add("Add", {y, body.In(bias)});
  body.Finish({y});
}

// A, B, their scales, zero points and a bias.
void MatMulIntegerToFloat(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string a = Dequantize(ctx, body, body.In(0), {2, 4}, 1), b = Dequantize(ctx, body, body.In(1), {3, 5}, -1);
  AddBias(ctx, body, body.Add("MatMul", {a, b}), 6);
}

// A in float; B, its scale, zero point and a bias.
void DynamicQuantizeMatMul(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string q = body.Add("DynamicQuantizeLinear", {body.In(0)}, 3);
  const std::string a = body.Add("DequantizeLinear", {q, q + "_1", q + "_2"});
  const std::string b = Dequantize(ctx, body, body.In(1), {2, 3}, -1);
  AddBias(ctx, body, body.Add("MatMul", {a, b}), 4);
}

void Rescale(NodeContext& ctx) {
  OperatorBody body(ctx);
  const std::string y = body.Add(ctx.op_type(), {body.In(0), body.In(1), body.In(2)});
  body.Copy({"axis"}).Finish({y});
}

}  // namespace

void RegisterContribQuantizationConverters(ConverterRegistry& registry) {
  for (const Row& row : kRows) registry.Add(row.type, 1, [&row](NodeContext& ctx) { Elementwise(ctx, row); }, kDomain);
  registry.Add("DequantizeLinear", 1, Rescale, kDomain);
  registry.Add("DynamicQuantizeMatMul", 1, DynamicQuantizeMatMul, kDomain);
  registry.Add("MatMulIntegerToFloat", 1, MatMulIntegerToFloat, kDomain);
  registry.Add("QGemm", 1, QGemm, kDomain);
  registry.Add("QLinearConcat", 1, QLinearConcat, kDomain);
  registry.Add("QLinearSoftmax", 1, QLinearSoftmax, kDomain);
  registry.Add("QLinearWhere", 1, QLinearWhere, kDomain);
  registry.Add("QuantizeLinear", 1, Rescale, kDomain);
}

}  // namespace atc::onnx_parser
