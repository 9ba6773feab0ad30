// Arithmetic of two or more broadcast operands.
#include "parsers/onnx/elementwise.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

constexpr Renamed kBinary[] = {
    {"Add", "Add"},           {"BitwiseAnd", "BitwiseAnd"}, {"BitwiseOr", "BitwiseOr"},
    {"BitwiseXor", "BitwiseXor"}, {"Mul", "Mul"},           {"Sub", "Sub"},
};

// The operator depends on the element type: AscendIR has one for real numbers and one that truncates. Where the parser
// does not know the type the operator keeps its ONNX identity.
void ConvertDiv(NodeContext& ctx) {
  const DataType dtype = ctx.Desc(0).dtype != DT_UNDEFINED ? ctx.Desc(0).dtype : ctx.Desc(1).dtype;
  EmitBinary(ctx, IsInteger(dtype) ? "TruncateDiv" : dtype == DT_UNDEFINED ? "onnx::Div" : "RealDiv");
}

// AscendIR's Mod has the sign of the dividend, as fmod=1, FloorMod that of the divisor.
void ConvertMod(NodeContext& ctx) { EmitBinary(ctx, ctx.Int("fmod", 0) != 0 ? "Mod" : "FloorMod"); }

// AscendIR's Pow promotes both types; ONNX's result has the type of the base. They agree where the types are one.
void ConvertPow(NodeContext& ctx) {
  const DataType base = ctx.Desc(0).dtype;
  // Before opset 12 the types were one by definition.
  const bool same = ctx.opset() < 12 || (base != DT_UNDEFINED && base == ctx.Desc(1).dtype);
  EmitBinary(ctx, same ? "Pow" : "onnx::Pow");
}

void ConvertBitShift(NodeContext& ctx) {
  ctx.Pass(ctx.String("direction", "") == "LEFT" ? "LeftShift" : "RightShift");
}

// One of any number of inputs: Identity for one, a chain for more.
ValueId EmitChain(NodeContext& ctx, Name type, bool last_is_output) {
  if (ctx.num_inputs() == 0) ctx.Fail("there is no input, at least one is needed");
  if (ctx.num_inputs() == 1) return ctx.Emit("Identity", {ctx.In(0)}, 1, last_is_output ? "" : "sum").outputs[0];
  ValueId result = ctx.In(0);
  for (size_t i = 1; i < ctx.num_inputs(); ++i) {
    const bool last = i + 1 == ctx.num_inputs() && last_is_output;
    result = ctx.Emit(type, {result, ctx.In(i)}, 1, last ? "" : "step" + std::to_string(i)).outputs[0];
  }
  return result;
}

void ConvertMean(NodeContext& ctx) {
  const ValueId sum = EmitChain(ctx, "Add", ctx.num_inputs() == 1);
  if (ctx.num_inputs() == 1) return ctx.SetOutput(0, sum);
  Node& scale = ctx.Emit("Muls", {sum});
  scale.attrs.Set("value", AttrValue(1.0f / static_cast<float>(ctx.num_inputs())));
  ctx.SetOutput(0, scale.outputs[0]);
}

// AscendIR's weight has one element or lies along axis 1; ONNX's slope broadcasts (since opset 7; before, it is exactly
// that weight).
void ConvertPRelu(NodeContext& ctx) {
  const Shape& x = ctx.Desc(0).origin_shape;
  const Shape& slope = ctx.Desc(1).origin_shape;
  const bool described = ctx.Desc(0).dtype != DT_UNDEFINED && ctx.Desc(1).dtype != DT_UNDEFINED;
  if (ctx.opset() < 7) {
    ctx.Pass("PRelu");
    return;
  }
  bool along_axis_1 = described && x.HasRank() && slope.IsKnown() && slope.HasRank() && slope.rank() <= x.rank() &&
                      IsFloating(ctx.Desc(0).dtype) && x.rank() >= 2;
  for (size_t d = 0; along_axis_1 && d < slope.rank(); ++d) {
    const size_t axis = d + x.rank() - slope.rank();
    along_axis_1 = slope[d] == 1 || (axis == 1 && slope[d] == x[1]);
  }
  if (!along_axis_1) {
    ctx.Keep();
    return;
  }
  ValueId weight = ctx.In(1);
  if (const Tensor* constant = ctx.Constant(1)) {
    weight = ctx.Const(constant->Reshaped({constant->NumElements()}), "weight");
  }
  Node& prelu = ctx.Emit("PRelu", {ctx.In(0), weight});
  ctx.SetOutput(0, prelu.outputs[0]);
}

}  // namespace

void RegisterElementwiseBinaryConverters(ConverterRegistry& registry) {
  for (const Renamed& op : kBinary) {
    registry.Add(op.onnx, 1, [type = Name(op.ascend)](NodeContext& ctx) { EmitBinary(ctx, type); });
  }
  for (const Renamed& op : {Renamed{"Max", "Maximum"}, Renamed{"Min", "Minimum"}, Renamed{"Sum", "Add"}}) {
    registry.Add(op.onnx, 1, [type = Name(op.ascend)](NodeContext& ctx) {
      ctx.SetOutput(0, EmitChain(ctx, type, true));
    });
  }
  registry.Add("BitShift", 11, ConvertBitShift);
  registry.Add("Div", 1, ConvertDiv);
  registry.Add("Mean", 1, ConvertMean);
  registry.Add("Mod", 10, ConvertMod);
  registry.Add("PRelu", 1, ConvertPRelu);
  registry.Add("Pow", 1, ConvertPow);
}

}  // namespace atc::onnx_parser
