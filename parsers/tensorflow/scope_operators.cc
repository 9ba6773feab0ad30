// What scope fusion makes: AscendIR's operators where shapes allow it, else the small operators again.
#include <algorithm>

#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

DataType TypeOf(const NodeContext& ctx) { return ctx.InType(0) == DT_UNDEFINED ? DT_FLOAT : ctx.InType(0); }

// x * f + (beta - mean * f), f = rsqrt(variance + epsilon) * gamma.
void EmitSmall(NodeContext& ctx, ValueId gamma, ValueId beta, ValueId mean, ValueId variance) {
  const auto emit = [&](const char* type, ValueId a, ValueId b, const char* suffix) {
    return ctx.Emit(type, {a, b}, 1, suffix).outputs[0];
  };
  const ValueId epsilon = ctx.Const(ScalarOf(TypeOf(ctx), ctx.Float("epsilon")), "epsilon");
  const ValueId root = ctx.Emit("Rsqrt", {emit("Add", variance, epsilon, "add")}, 1, "Rsqrt").outputs[0];
  const ValueId factor = emit("Mul", root, gamma, "mul");
  const ValueId shift = emit("Sub", beta, emit("Mul", mean, factor, "mul_2"), "sub");
  ctx.SetOutput(0, emit("Add", emit("Mul", ctx.In(0), factor, "mul_1"), shift, ""));
}

// `x` with the shape of the last dims alone, where those before them are 1; kNoId when they are not.
ValueId Trailing(NodeContext& ctx, size_t input, const Shape& wanted, const char* suffix) {
  const Shape& shape = ctx.Desc(input).origin_shape;
  if (ctx.Rank(input) < 0 || !shape.IsKnown() || shape.rank() < wanted.rank()) return kNoId;
  const size_t before = shape.rank() - wanted.rank();
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (d < before ? shape[d] != 1 : shape[d] != wanted[d - before]) return kNoId;
  }
  if (before == 0) return ctx.In(input);
  return ctx.Emit("Reshape", {ctx.In(input), ctx.ConstInts(wanted.dims(), std::string(suffix) + "_shape")}, 1, suffix)
      .outputs[0];
}

void ConvertMoments(NodeContext& ctx) {
  std::vector<int64_t> axes = ctx.Ints("axes");
  const int64_t rank = ctx.Rank(0);
  std::vector<int64_t> counted = axes;
  for (int64_t& axis : counted) axis = axis < 0 && rank > 0 ? axis + rank : axis;
  std::sort(counted.begin(), counted.end());
  bool last = rank > 0;
  for (size_t i = 0; i < counted.size(); ++i) last = last && counted[i] == rank - static_cast<int64_t>(counted.size() - i);
  Shape wanted;
  for (size_t i = 0; last && i < counted.size(); ++i) {
    wanted.dims().push_back(ctx.Desc(0).origin_shape[static_cast<size_t>(counted[i])]);
  }
  if (last && wanted.IsKnown()) {
    const ValueId gamma = Trailing(ctx, 1, wanted, "gamma"), beta = Trailing(ctx, 2, wanted, "beta");
    if (gamma != kNoId && beta != kNoId) {
      Node& node = ctx.Emit("LayerNorm", {ctx.In(0), gamma, beta});
      node.attrs.Set("begin_norm_axis", counted[0]);
      node.attrs.Set("begin_params_axis", int64_t{-1});
      node.attrs.Set("epsilon", ctx.Float("epsilon"));
      ctx.SetOutput(0, node.outputs[0]);
      return;
    }
  }
  const ValueId over = ctx.ConstInts(axes, "axes");
  const auto mean_of = [&](ValueId x, const char* suffix) {
    Node& node = ctx.Emit("ReduceMean", {x, over}, 1, suffix);
    node.attrs.Set("keep_dims", true);
    return node.outputs[0];
  };
  const ValueId mean = mean_of(ctx.In(0), "mean");
  const ValueId square = ctx.Emit("SquaredDifference", {ctx.In(0), mean}, 1, "square").outputs[0];
  EmitSmall(ctx, ctx.In(1), ctx.In(2), mean, mean_of(square, "variance"));
}

void ConvertChannels(NodeContext& ctx) {
  const int64_t rank = ctx.Rank(0);
  bool vectors = rank >= 2;
  const int64_t channels = vectors ? ctx.Desc(0).origin_shape.dims().back() : -1;
  for (size_t i = 1; i <= 4; ++i) vectors = vectors && ctx.Rank(i) == 1 && ctx.Desc(i).origin_shape[0] == channels;
  if (!vectors || channels < 1) return EmitSmall(ctx, ctx.In(1), ctx.In(2), ctx.In(3), ctx.In(4));
  Node& node = ctx.Emit("BatchNorm", {ctx.In(0), ctx.In(1), ctx.In(2), ctx.In(3), ctx.In(4)});
  node.attrs.Set("epsilon", ctx.Float("epsilon"));
  node.attrs.Set("data_format", rank == 5 ? "NDHWC" : "NHWC");
  node.attrs.Set("is_training", false);
  ctx.SetOutput(0, node.outputs[0]);
}

// x [steps, batch, input], weights of x above those of h, bias, first h and c [batch, hidden]; gives all steps of h, and the
// last h and c.
void ConvertDynamicRnn(NodeContext& ctx) {
  const ValueId first = ctx.ConstInts({0}, "first");
  const auto state = [&](size_t i, const char* suffix) {
    Node& node = ctx.Emit("Unsqueeze", {ctx.In(i)}, 1, suffix);
    node.attrs.Set("axes", std::vector<int64_t>{0});
    return node.outputs[0];
  };
  Node& node = ctx.Emit("DynamicRNN", {ctx.In(0), ctx.In(1), ctx.In(2), kNoId, state(3, "init_h"), state(4, "init_c")}, 3);
  node.attrs.Set("forget_bias", ctx.Float("forget_bias"));
  node.attrs.Set("is_training", false);
  const std::vector<ValueId> outputs = node.outputs;
  ctx.SetOutput(0, outputs[0]);
  for (const size_t i : {1, 2}) {
    if (!ctx.WantsOutput(i)) continue;
    const std::string suffix = i == 1 ? "last_h" : "last_c";
    const ValueId last = ctx.Const(ScalarOf(DT_INT64, -1), suffix + "_step");
    Node& gather = ctx.Emit("GatherV2", {outputs[i], last, first}, 1, suffix);
    gather.attrs.Set("negative_index_support", true);
    ctx.SetOutput(i, gather.outputs[0]);
  }
}

}  // namespace

void RegisterScopeOperatorsConverters(ConverterRegistry& registry) {
  registry.Add("_ChannelNormalization", ConvertChannels);
  registry.Add("_DecodeBoxes", [](NodeContext& ctx) {
    ctx.Pass("DecodeBboxV2").attrs.Set("scales", AttrValue(ctx.Floats("scales")));
  });
  registry.Add("_DynamicRnn", ConvertDynamicRnn);
  registry.Add("_MomentsNormalization", ConvertMoments);
}

}  // namespace atc::tf_parser
