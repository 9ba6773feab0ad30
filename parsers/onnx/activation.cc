// Activation functions.
#include <cmath>

#include "compiler/ops/scalar.h"
#include "parsers/onnx/elementwise.h"
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

constexpr Renamed kPlain[] = {
    {"Relu", "Relu"}, {"Sigmoid", "Sigmoid"}, {"Softplus", "Softplus"}, {"Softsign", "Softsign"},
};

// One float attribute under another name, with ONNX's default, which differs from AscendIR's.
struct Scaled {
  const char* onnx;
  int since;
  const char* onnx_attr;
  float fallback;
  const char* ascend;
  const char* ascend_attr;
};

constexpr Scaled kScaled[] = {
    {"Celu", 12, "alpha", 1.0f, "CeluV2", "alpha"},
    {"Elu", 1, "alpha", 1.0f, "Elu", "alpha"},
    {"LeakyRelu", 1, "alpha", 0.01f, "LeakyRelu", "negative_slope"},
    {"Swish", 24, "alpha", 1.0f, "Swish", "scale"},
};

void EmitScaled(NodeContext& ctx, const Scaled& op) {
  ctx.Pass(op.ascend).attrs.Set(op.ascend_attr, AttrValue(ctx.Float(op.onnx_attr, op.fallback)));
}

void ConvertGelu(NodeContext& ctx) {
  ctx.Pass("GeluV2").attrs.Set("approximate", AttrValue(ctx.String("approximate", "none")));
}

void ConvertHardSigmoid(NodeContext& ctx) {
  Node& node = ctx.Pass("HardSigmoid");
  node.attrs.Set("alpha", AttrValue(ctx.Float("alpha", 0.2f)));
  node.attrs.Set("beta", AttrValue(ctx.Float("beta", 0.5f)));
}

void ConvertShrink(NodeContext& ctx) {
  Node& node = ctx.Pass("Shrink");
  node.attrs.Set("lambd", AttrValue(ctx.Float("lambd", 0.5f)));
  node.attrs.Set("bias", AttrValue(ctx.Float("bias", 0.0f)));
}

// AscendIR's operator fixes alpha and gamma at the values that ONNX has as defaults since opset 6.
void ConvertSelu(NodeContext& ctx) {
  constexpr float kAlpha = 1.67326319217681884765625f;
  constexpr float kGamma = 1.05070102214813232421875f;
  const float alpha = ctx.Float("alpha", ctx.opset() < 6 ? 1.6732f : kAlpha);
  const float gamma = ctx.Float("gamma", ctx.opset() < 6 ? 1.0507f : kGamma);
  if (std::fabs(alpha - kAlpha) < 1e-6f && std::fabs(gamma - kGamma) < 1e-6f) {
    ctx.Pass("Selu");
    return;
  }
  Node& node = ctx.Keep();
  node.attrs.Set("alpha", AttrValue(alpha));
  node.attrs.Set("gamma", AttrValue(gamma));
}

// Before opset 11 the bounds are attributes; constants of the input's type stand for them where it is known.
void ConvertClipWithAttributes(NodeContext& ctx) {
  const bool both = ctx.opset() >= 6;  // opset 6 gives the largest float as default, opset 1 none
  const bool has_min = both || ctx.HasAttr("min");
  const bool has_max = both || ctx.HasAttr("max");
  if (!has_min && !has_max) {
    ctx.Pass("Identity");
    return;
  }
  const float low = ctx.Float("min", -3.402823466e+38f);
  const float high = ctx.Float("max", 3.402823466e+38f);
  const DataType dtype = ctx.Desc(0).dtype;
  if (!ScalarOf(dtype, 0).defined()) {
    Node& node = ctx.Keep();
    if (has_min) node.attrs.Set("min", AttrValue(low));
    if (has_max) node.attrs.Set("max", AttrValue(high));
    return;
  }
  const ValueId min = ctx.Const(ScalarOf(dtype, has_min ? low : -INFINITY), "min");
  const ValueId max = ctx.Const(ScalarOf(dtype, has_max ? high : INFINITY), "max");
  ctx.SetOutput(0, ctx.Emit("ClipByValue", {ctx.In(0), min, max}).outputs[0]);
}

void ConvertClip(NodeContext& ctx) {
  const bool has_min = ctx.HasInput(1);
  const bool has_max = ctx.HasInput(2);
  std::vector<ValueId> inputs = {ctx.In(0)};
  if (has_min) inputs.push_back(ctx.In(1));
  if (has_max) inputs.push_back(ctx.In(2));
  const Name type = has_min && has_max ? "ClipByValue" : has_min ? "Maximum" : has_max ? "Minimum" : "Identity";
  ctx.SetOutput(0, ctx.Emit(type, std::move(inputs)).outputs[0]);
}

}  // namespace

void RegisterActivationConverters(ConverterRegistry& registry) {
  for (const Renamed& op : kPlain) {
    registry.Add(op.onnx, 1, [type = Name(op.ascend)](NodeContext& ctx) { ctx.Pass(type); });
  }
  for (const Scaled& op : kScaled) {
    registry.Add(op.onnx, op.since, [&op](NodeContext& ctx) { EmitScaled(ctx, op); });
  }
  registry.Add("Clip", 1, ConvertClipWithAttributes);
  registry.Add("Clip", 11, ConvertClip);
  registry.Add("Gelu", 20, ConvertGelu);
  registry.Add("HardSigmoid", 1, ConvertHardSigmoid);
  registry.Add("HardSwish", 14, [](NodeContext& ctx) { ctx.Pass("HardSwish"); });
  registry.Add("Mish", 18, [](NodeContext& ctx) { ctx.Pass("Mish"); });
  registry.Add("Selu", 1, ConvertSelu);
  registry.Add("Shrink", 9, ConvertShrink);
  registry.AddKeep("ThresholdedRelu", 10);
}

}  // namespace atc::onnx_parser
