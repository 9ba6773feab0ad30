// Constants, and what passes its input on.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/call_tree.h"
#include "parsers/tensorflow/families.h"
#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {
namespace {

void ConvertConst(NodeContext& ctx) {
  Tensor value = ctx.TensorAttr("value");
  if (!value.defined()) ctx.Fail("the attribute value is missing; it should hold the constant");
  ctx.SetOutput(0, ctx.Const(std::move(value), ""));
}

// A constant stays one, so that what needs its value finds it.
void PassOn(NodeContext& ctx) {
  const ValueId x = ctx.In(0);
  const bool known = ctx.graph().Constant(x) != nullptr || ctx.DescOf(x).dtype == DT_VARIANT;
  ctx.SetOutput(0, known ? x : ctx.Emit("Identity", {x}).outputs[0]);
}

void PassAllOn(NodeContext& ctx) {
  for (size_t i = 0; i < ctx.num_inputs(); ++i) ctx.SetOutput(i, ctx.In(i));
}

void ConvertFill(NodeContext& ctx) { ctx.Pass("Fill"); }

void EmitLike(NodeContext& ctx, double value) {
  const DataType dtype = ctx.Type("T", ctx.InType(0));
  const Tensor one = dtype == DT_STRING ? Tensor::Allocate(DT_STRING, {}) : ScalarOf(dtype, value);
  if (!one.defined()) ctx.Fail("element type " + std::string(DataTypeName(dtype)) + " is not supported");
  Node& shape = ctx.Emit("Shape", {ctx.In(0)}, 1, "shape");
  shape.attrs.Set("dtype", static_cast<int64_t>(DT_INT64));
  const ValueId scalar = ctx.Const(one, "value");
  ctx.SetOutput(0, ctx.Emit("Fill", {shape.outputs[0], scalar}).outputs[0]);
}

void ConvertEmpty(NodeContext& ctx) {
  const ValueId zero = ctx.Const(ScalarOf(ctx.Type("dtype", DT_FLOAT), 0), "value");
  ctx.SetOutput(0, ctx.Emit("Fill", {ctx.In(0), zero}).outputs[0]);
}

// Frozen models hold constants in place of variables; a SavedModel's checkpoint has their values.
void ConvertVariable(NodeContext& ctx) {
  const std::string variable = ResourceName(ctx.node());
  const auto& read = ctx.builder().model().variable;
  Tensor value = read ? read(variable) : Tensor();
  if (!value.defined()) {
    throw Error("E13014",
                {{"value", "'" + variable + "'"},
                 {"parameter", "The variable"},
                 {"opname", ctx.name()},
                 {"reason", read ? "The checkpoint of the model has no value for it."
                                 : "The model is not frozen: its variables have no values in this file."}},
                read ? "Save the model anew, with its variables."
                     : "Freeze the model (convert_variables_to_constants_v2), or give the SavedModel folder.");
  }
  ctx.SetOutput(0, ctx.Const(std::move(value), ""));
}

// A default is what the exporter left in; a model that wants an input has a Placeholder.
void PassFirst(NodeContext& ctx) { ctx.SetOutput(0, ctx.In(0)); }

}  // namespace

void RegisterConstantConverters(ConverterRegistry& registry) {
  registry.Add("Const", ConvertConst);
  registry.Add("Empty", ConvertEmpty);
  registry.Add("Fill", ConvertFill);
  registry.Add("HostConst", ConvertConst);
  for (const char* op : {"DeepCopy", "Identity", "PlaceholderWithDefault", "PreventGradient", "Snapshot",
                         "StopGradient", "_EagerConst"}) {
    registry.Add(op, PassOn);
  }
  registry.Add("IdentityN", PassAllOn);
  registry.AddPass("LinSpace", "LinSpace");
  registry.Add("OnesLike", [](NodeContext& ctx) { EmitLike(ctx, 1); });
  registry.Add("Range", [](NodeContext& ctx) { ctx.Pass("Range"); });
  registry.Add("ReadVariableOp", PassFirst);
  for (const char* op : {"VarHandleOp", "Variable", "VariableV2"}) registry.Add(op, ConvertVariable);
  registry.Add("ZerosLike", [](NodeContext& ctx) { EmitLike(ctx, 0); });
}

}  // namespace atc::tf_parser
