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

// Inference passes its input through; the mask, where someone asks for it, is all true (up to opset 9: ones of x's
// type). Training with a rate other than 0 is random and not part of a converted model; where training_mode is
// computed, that shows when the node runs.
void ConvertDropout(NodeContext& ctx) {
  const Tensor* training = ctx.Constant(2);
  const Tensor* ratio = ctx.Constant(1);
  if (ctx.HasInput(2) && training == nullptr) {
    ctx.Keep();
    return;
  }
  const bool trains = training && training->NumElements() == 1 && ToInts(*training)[0] != 0;
  if (trains && !(ratio && ratio->NumElements() == 1 && ToDoubles(*ratio)[0] == 0)) {
    ctx.Fail("training_mode is true: it drops values at random; export the model for inference");
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
