// What Grappler fuses: a heavy operator and the list of what follows it.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/convolution.h"
#include "parsers/tensorflow/data_format.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

struct Follower {
  const char* name;
  const char* ascend;
};

constexpr Follower kActivations[] = {
    {"Elu", "Elu"},
    {"GeluApproximate", "GeluV2"},
    {"GeluExact", "GeluV2"},
    {"LeakyRelu", "LeakyRelu"},
    {"Relu", "Relu"},
    {"Relu6", "Relu6"},
    {"Sigmoid", "Sigmoid"},
    {"Tanh", "Tanh"},
    {"_FusedHardSwish", "HardSwish"},
    {"_MklFusedMish", "Mish"},
    {"_MklSwish", "Swish"},
};

// What _UnaryOpsComposition may name otherwise than AscendIR does.
constexpr Follower kUnaryNames[] = {{"Inv", "Reciprocal"}, {"Rint", "Round"}};

class Tail {
 public:
  Tail(NodeContext& ctx, ValueId value, std::string format)
      : ctx_(ctx), value_(value), format_(std::move(format)), names_(ctx.Strings("fused_ops")) {}

  void Finish() {
    for (size_t i = 0; i < names_.size(); ++i) Follow(names_[i], i + 1 == names_.size() ? "" : names_[i]);
    ctx_.SetOutput(0, value_);
  }

 private:
  ValueId NextArgument() { return ctx_.In(2 + arguments_++); }

  void Follow(const std::string& name, const std::string& suffix) {
    if (name == "BiasAdd" || name == "Add" || name == "Mul") {
      ValueId other = NextArgument();
      if (name == "BiasAdd") other = AlongChannels(ctx_, other, format_, "bias");
      value_ = ctx_.Emit(name == "Mul" ? "Mul" : "Add", {value_, other}, 1, suffix).outputs[0];
      return;
    }
    if (name == "FusedBatchNorm") {
      std::vector<ValueId> inputs = {value_};
      for (int i = 0; i < 4; ++i) inputs.push_back(NextArgument());
      Node& norm = ctx_.Emit("BatchNorm", inputs, 1, suffix);
      norm.attrs.Set("epsilon", ctx_.Float("epsilon", 1e-4f));
      norm.attrs.Set("data_format", format_);
      norm.attrs.Set("is_training", false);
      value_ = norm.outputs[0];
      return;
    }
    for (const Follower& follower : kActivations) {
      if (name != follower.name) continue;
      Node& node = ctx_.Emit(follower.ascend, {value_}, 1, suffix);
      if (name == "LeakyRelu") node.attrs.Set("negative_slope", ctx_.Float("leakyrelu_alpha", 0.2f));
      if (name.starts_with("Gelu")) node.attrs.Set("approximate", name == "GeluExact" ? "none" : "tanh");
      value_ = node.outputs[0];
      return;
    }
    ctx_.Fail("fused_ops names '" + name + "', which is not known");
  }

  NodeContext& ctx_;
  ValueId value_;
  std::string format_;
  std::vector<std::string> names_;
  size_t arguments_ = 0;
};

std::string HeadSuffix(const NodeContext& ctx, const char* suffix) {
  return ctx.Strings("fused_ops").empty() ? "" : suffix;
}

void ConvertFusedConv(NodeContext& ctx, size_t spatial) {
  if (ctx.String("filter_format", "HWIO") != "HWIO") ctx.Fail("filter_format is not HWIO");
  const std::string format = DataFormat(ctx, spatial);
  Tail(ctx, EmitConv(ctx, spatial, HeadSuffix(ctx, "conv")).outputs[0], format).Finish();
}

void ConvertFusedDepthwise(NodeContext& ctx) {
  const std::string format = DataFormat(ctx, 2);
  Tail(ctx, EmitDepthwiseConv(ctx, HeadSuffix(ctx, "conv")).outputs[0], format).Finish();
}

void ConvertFusedMatMul(NodeContext& ctx) {
  Node& node = ctx.Emit("MatMulV2", {ctx.In(0), ctx.In(1)}, 1, HeadSuffix(ctx, "matmul"));
  node.attrs.Set("transpose_x1", ctx.Bool("transpose_a"));
  node.attrs.Set("transpose_x2", ctx.Bool("transpose_b"));
  Tail(ctx, node.outputs[0], "NHWC").Finish();
}

void ConvertFusedBatchMatMul(NodeContext& ctx) {
  Node& node = ctx.Emit("BatchMatMulV2", {ctx.In(0), ctx.In(1)}, 1, HeadSuffix(ctx, "matmul"));
  node.attrs.Set("adj_x1", ctx.Bool("adj_x"));
  node.attrs.Set("adj_x2", ctx.Bool("adj_y"));
  Tail(ctx, node.outputs[0], "NHWC").Finish();
}

// Over the last axis.
void ConvertLayerNorm(NodeContext& ctx) {
  Node& node = ctx.Emit("LayerNormV3", {ctx.In(0), ctx.In(1), ctx.In(2)});
  node.attrs.Set("begin_norm_axis", int64_t{-1});
  node.attrs.Set("begin_params_axis", int64_t{-1});
  node.attrs.Set("epsilon", ctx.Float("epsilon", 1e-3f));
  ctx.SetOutput(0, node.outputs[0]);
}

// (x - mean) / sqrt(variance + epsilon) * gamma + beta, with one gamma and beta a channel: the axis behind the batch that
// is not reduced.
void ConvertInstanceNorm(NodeContext& ctx) {
  const std::vector<int64_t> axes = ctx.Ints("reduction_axes");
  const std::string format = std::find(axes.begin(), axes.end(), 1) == axes.end() ? "NCHW" : "NHWC";
  const ValueId x = ctx.In(0), over = ctx.ConstInts(axes, "axes");
  const auto mean_of = [&](ValueId value, const char* suffix) {
    Node& mean = ctx.Emit("ReduceMean", {value, over}, 1, suffix);
    mean.attrs.Set("keep_dims", true);
    return mean.outputs[0];
  };
  const auto along = [&](size_t i, const char* suffix) {
    const ValueId flat = ctx.Emit("Reshape", {ctx.In(i), ctx.ConstInts({-1}, std::string(suffix) + "_flat_shape")}, 1,
                                  std::string(suffix) + "_flat").outputs[0];
    std::string layout = format;
    if (axes.size() == 3) layout.insert(format == "NHWC" ? 1 : 2, "D");
    return AlongChannels(ctx, flat, layout, suffix);
  };
  const ValueId centred = ctx.Emit("Sub", {x, mean_of(x, "mean")}, 1, "centred").outputs[0];
  const ValueId variance = mean_of(ctx.Emit("Square", {centred}, 1, "square").outputs[0], "variance");
  const ValueId epsilon = ctx.Const(ScalarOf(ctx.Type("T", DT_FLOAT), ctx.Float("epsilon", 1e-4f)), "epsilon");
  const ValueId guarded = ctx.Emit("Add", {variance, epsilon}, 1, "guarded").outputs[0];
  const ValueId factor = ctx.Emit("Rsqrt", {guarded}, 1, "rsqrt").outputs[0];
  const ValueId normal = ctx.Emit("Mul", {centred, factor}, 1, "normal").outputs[0];
  const ValueId scaled = ctx.Emit("Mul", {normal, along(1, "gamma")}, 1, "scaled").outputs[0];
  Tail(ctx, ctx.Emit("Add", {scaled, along(2, "beta")}, 1, HeadSuffix(ctx, "shifted")).outputs[0], format).Finish();
}

// Functions one after the other.
void ConvertComposition(NodeContext& ctx) {
  const std::vector<std::string> names = ctx.Strings("op_names");
  if (names.empty()) ctx.Fail("op_names is empty");
  ValueId value = ctx.In(0);
  for (size_t i = 0; i < names.size(); ++i) {
    std::string type = names[i];
    for (const Follower& renamed : kUnaryNames) {
      if (type == renamed.name) type = renamed.ascend;
    }
    const OpDef* def = OpRegistry::Get().Find(type);
    if (def == nullptr || !def->Is(kElementwise)) ctx.Fail("op_names names '" + names[i] + "', which is not known");
    value = ctx.Emit(type, {value}, 1, i + 1 == names.size() ? "" : fmt::format("{}_{}", names[i], i)).outputs[0];
  }
  ctx.SetOutput(0, value);
}

// The side input is added before the activation.
void ConvertFusedBatchNorm(NodeContext& ctx) {
  const std::string activation = ctx.String("activation_mode", "Identity");
  const int64_t sides = ctx.Int("num_side_inputs");
  if (activation != "Identity" && activation != "Relu") ctx.Fail("activation_mode is '" + activation + "'");
  if (ctx.Bool("is_training", true)) ctx.Fail("it trains (is_training); export the model for inference");
  const bool relu = activation == "Relu";
  Node& norm = ctx.Emit("BatchNorm", {ctx.In(0), ctx.In(1), ctx.In(2), ctx.In(3), ctx.In(4)}, 1,
                        sides > 0 || relu ? "norm" : "");
  norm.attrs.Set("epsilon", ctx.Float("epsilon", 1e-4f));
  norm.attrs.Set("data_format", DataFormat(ctx, 2));
  norm.attrs.Set("is_training", false);
  ValueId value = norm.outputs[0];
  if (sides > 0) value = ctx.Emit("Add", {value, ctx.In(5)}, 1, relu ? "sum" : "").outputs[0];
  if (relu) value = ctx.Emit("Relu", {value}).outputs[0];
  ctx.SetOutput(0, value);
}

}  // namespace

void RegisterFusedConverters(ConverterRegistry& registry) {
  registry.Add("_FusedBatchNormEx", ConvertFusedBatchNorm);
  registry.Add("_FusedConv2D", [](NodeContext& ctx) { ConvertFusedConv(ctx, 2); });
  registry.Add("_FusedConv3D", [](NodeContext& ctx) { ConvertFusedConv(ctx, 3); });
  for (const char* op : {"FusedDepthwiseConv2dNative", "_FusedDepthwiseConv2dNative"}) {
    registry.Add(op, ConvertFusedDepthwise);
  }
  registry.Add("_FusedMatMul", ConvertFusedMatMul);
  registry.AddPass("_FusedHardSwish", "HardSwish");
  registry.Add("_MklFusedBatchMatMulV2", ConvertFusedBatchMatMul);
  registry.Add("_MklFusedInstanceNorm", ConvertInstanceNorm);
  registry.AddPass("_MklFusedMish", "Mish");
  registry.Add("_MklLayerNorm", ConvertLayerNorm);
  registry.AddPass("_MklSwish", "Swish");
  registry.Add("_UnaryOpsComposition", ConvertComposition);
}

}  // namespace atc::tf_parser
