// MatMul as BatchMatMulV2; Gemm as MatMulV2 with its scale factors and addend around it.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

ValueId Scaled(NodeContext& ctx, ValueId value, float factor, std::string_view suffix) {
  if (factor == 1) return value;
  Node& node = ctx.Emit("Muls", {value}, 1, suffix);
  node.attrs.Set("value", factor);
  return node.outputs[0];
}

// Y = alpha * A' * B' + beta * C. A constant vector C that needs no scaling is the bias of the product itself.
void Gemm(NodeContext& ctx) {
  const float alpha = ctx.Float("alpha", 1), beta = ctx.Float("beta", 1);
  const bool addend = ctx.HasInput(2) && beta != 0;
  const Tensor* constant = addend ? ctx.Constant(2) : nullptr;
  const TensorDesc& filter = ctx.Desc(1);
  const bool transposed = ctx.Int("transB", 0) != 0;
  const bool bias = constant != nullptr && constant->rank() == 1 && alpha == 1 && beta == 1 &&
                    filter.dtype != DT_UNDEFINED && filter.origin_shape.rank() == 2 &&
                    constant->dim(0) == filter.origin_shape[transposed ? 0 : 1];
  std::vector<ValueId> inputs{ctx.In(0), ctx.In(1)};
  if (bias) inputs.push_back(ctx.In(2));
  const bool alone = bias || (!addend && alpha == 1);
  Node& product = ctx.Emit("MatMulV2", inputs, 1, alone ? "" : "product");
  product.attrs.Set("transpose_x1", ctx.Int("transA", 0) != 0);
  product.attrs.Set("transpose_x2", transposed);
  if (alone) return ctx.SetOutput(0, product.outputs[0]);
  const ValueId scaled = Scaled(ctx, product.outputs[0], alpha, addend ? "alpha" : "");
  if (!addend) return ctx.SetOutput(0, scaled);
  Node& sum = ctx.Emit("Add", {scaled, Scaled(ctx, ctx.In(2), beta, "beta")});
  ctx.SetOutput(0, sum.outputs[0]);
}

}  // namespace

void RegisterMatMulConverters(ConverterRegistry& registry) {
  registry.Add("Gemm", 1, Gemm);
  registry.Add("MatMul", 1, [](NodeContext& ctx) { ctx.Pass("BatchMatMulV2"); });
}

}  // namespace atc::onnx_parser
