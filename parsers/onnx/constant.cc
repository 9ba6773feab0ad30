// Constant, ConstantOfShape, Range, Dropout.
#include "compiler/ops/scalar.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

// The value is in one of several attributes.
Tensor ConstantValue(const NodeContext& ctx) {
  if (ctx.HasAttr("value")) return ctx.TensorAttr("value");
  if (ctx.HasAttr("sparse_value")) return ctx.SparseTensorAttr("sparse_value");
  if (ctx.HasAttr("value_float")) return Tensor::Scalar(ctx.Float("value_float", 0));
  if (ctx.HasAttr("value_int")) return Tensor::Scalar(ctx.Int("value_int", 0));
  if (ctx.HasAttr("value_string")) {
    return Tensor::From<std::string>(DT_STRING, {}, {ctx.String("value_string", "")});
  }
  if (ctx.HasAttr("value_ints")) return Tensor::Ints(ctx.Ints("value_ints"));
  if (ctx.HasAttr("value_floats")) {
    const std::vector<float> values = ctx.Floats("value_floats");
    return Tensor::From(DT_FLOAT, {static_cast<int64_t>(values.size())}, values);
  }
  if (ctx.HasAttr("value_strings")) {
    const std::vector<std::string> values = ctx.Strings("value_strings");
    return Tensor::From(DT_STRING, {static_cast<int64_t>(values.size())}, values);
  }
  return {};
}

void ConvertConstant(NodeContext& ctx) {
  Tensor value = ConstantValue(ctx);
  if (!value.defined()) ctx.Fail("none of the attributes that may hold its value is there (value, value_int, ...)");
  ctx.SetOutput(0, ctx.Const(std::move(value), ""));
}

void ConvertConstantOfShape(NodeContext& ctx) {
  Tensor value = ctx.TensorAttr("value").Materialized();
  if (!value.defined()) value = Tensor::Scalar(0.0f);
  if (value.NumElements() != 1) {
    ctx.Fail("value has " + std::to_string(value.NumElements()) + " elements; one is wanted");
  }
  const ValueId scalar = ctx.Const(value.Reshaped({}), "value");
  ctx.SetOutput(0, ctx.Emit("Fill", {ctx.In(0), scalar}).outputs[0]);
}

// A scalar constant that is 0 or false.
bool IsZero(const Tensor* tensor) { return tensor && tensor->NumElements() == 1 && ToDoubles(*tensor)[0] == 0; }

// Whether values are dropped, or may be. Since opset 12 inputs say so, before opset 7 an attribute, else nothing does.
bool MayDrop(const NodeContext& ctx) {
  if (ctx.opset() >= 12) return ctx.HasInput(2) && !IsZero(ctx.Constant(2)) && !IsZero(ctx.Constant(1));
  return ctx.opset() < 7 && ctx.Int("is_test", 0) == 0 && ctx.Float("ratio", 0.5f) != 0;
}

// Inference passes its input through; the mask, where someone asks for it, is all true (up to opset 9: ones of x's
// type). Training stays the random operator that it is.
void ConvertDropout(NodeContext& ctx) {
  if (MayDrop(ctx)) {
    if (ctx.opset() >= 12) {
      ctx.Keep();
      return;
    }
    const ValueId ratio = ctx.Const(Tensor::Scalar(ctx.Float("ratio", 0.5f)), "ratio");
    const ValueId training = ctx.Const(ScalarOf(DT_BOOL, 1), "training_mode");
    Node& node = ctx.Emit("onnx::Dropout", {ctx.In(0), ratio, training}, ctx.num_outputs());
    node.attrs.Set("opset", static_cast<int64_t>(ctx.opset()));
    for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOutput(i, node.outputs[i]);
    return;
  }
  ctx.SetOutput(0, ctx.Emit("Identity", {ctx.In(0)}).outputs[0]);
  if (!ctx.WantsOutput(1)) return;
  Node& shape = ctx.Emit("Shape", {ctx.In(0)}, 1, "mask_shape");
  shape.attrs.Set("dtype", static_cast<int64_t>(DT_INT64));
  Tensor one = ScalarOf(DT_BOOL, 1);
  if (ctx.opset() < 10 && ScalarOf(ctx.Desc(0).dtype, 1).defined()) one = ScalarOf(ctx.Desc(0).dtype, 1);
  const ValueId value = ctx.Const(std::move(one), "mask_value");
  ctx.SetOutput(1, ctx.Emit("Fill", {shape.outputs[0], value}, 1, "mask").outputs[0]);
}

}  // namespace

void RegisterConstantConverters(ConverterRegistry& registry) {
  registry.Add("Constant", 1, ConvertConstant);
  registry.Add("ConstantOfShape", 9, ConvertConstantOfShape);
  registry.Add("Dropout", 1, ConvertDropout);
  registry.AddPass("Range", 11, "Range");
}

}  // namespace atc::onnx_parser
