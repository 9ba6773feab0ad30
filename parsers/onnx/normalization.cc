// Normalisation. AscendIR's operators where they say the same; training mode, statistics of another type and parameters
// of other shapes keep the ONNX operator.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void BatchNormalization(NodeContext& ctx) {
  const bool inference = ctx.opset() >= 14  ? ctx.Int("training_mode", 0) == 0
                         : ctx.opset() >= 7 ? ctx.num_outputs() <= 1
                                            : ctx.Int("is_test", 0) != 0;
  const bool per_activation = ctx.opset() < 9 && ctx.Int("spatial", 1) == 0;
  if (!inference || per_activation || ctx.num_outputs() > 1) {
    ctx.Keep();
    return;
  }
  Node& node = ctx.Pass("BatchNorm");
  node.attrs.Set("epsilon", ctx.Float("epsilon", 1e-5f));
  node.attrs.Set("is_training", false);
  node.attrs.Set("data_format", "NCHW");
}

void InstanceNormalization(NodeContext& ctx) {
  Node& node = ctx.Pass("InstanceNorm");
  node.attrs.Set("epsilon", ctx.Float("epsilon", 1e-5f));
  node.attrs.Set("data_format", "NCHW");
}

bool Ranked(const TensorDesc& desc) { return desc.dtype != DT_UNDEFINED && desc.origin_shape.HasRank(); }

// The number of trailing axes that are normalised, 0 when it cannot be told.
int64_t NormalizedAxes(const NodeContext& ctx) {
  const int64_t axis = ctx.Int("axis", -1);
  if (axis < 0) return -axis;
  return Ranked(ctx.Desc(0)) ? static_cast<int64_t>(ctx.Desc(0).origin_shape.rank()) - axis : 0;
}

void LayerNormalization(NodeContext& ctx) {
  const TensorDesc& scale = ctx.Desc(1);
  const bool exact = ctx.num_outputs() == 1 && ctx.HasInput(2) && Ranked(scale) && Ranked(ctx.Desc(2)) &&
                     scale.origin_shape == ctx.Desc(2).origin_shape &&
                     static_cast<int64_t>(scale.origin_shape.rank()) == NormalizedAxes(ctx);
  if (!exact) {
    ctx.Keep();
    return;
  }
  Node& node = ctx.Pass("LayerNormV3");
  node.attrs.Set("begin_norm_axis", ctx.Int("axis", -1));
  node.attrs.Set("begin_params_axis", ctx.Int("axis", -1));
  node.attrs.Set("epsilon", ctx.Float("epsilon", 1e-5f));
}

void RmsNormalization(NodeContext& ctx) {
  const TensorDesc& scale = ctx.Desc(1);
  if (!Ranked(scale) || static_cast<int64_t>(scale.origin_shape.rank()) != NormalizedAxes(ctx)) {
    ctx.Keep();
    return;
  }
  ctx.Pass("RmsNorm").attrs.Set("epsilon", ctx.Float("epsilon", 1e-5f));
}

// One scale a channel since opset 21; one a group before, which GroupNormV2 does not know.
void GroupNormalization(NodeContext& ctx) {
  Node& node = ctx.Pass("GroupNormV2");
  node.attrs.Set("num_groups", ctx.Int("num_groups", 1));
  node.attrs.Set("eps", ctx.Float("epsilon", 1e-5f));
  node.attrs.Set("data_format", "NCHW");
}

void MeanVarianceNormalization(NodeContext& ctx) {
  ctx.Pass("MVNV2").attrs.Set("axes", ctx.Ints("axes", {0, 2, 3}));
}

// LRN's window is symmetric: even sizes, one longer on the high side, are kept.
void Lrn(NodeContext& ctx) {
  const int64_t size = ctx.Int("size", 0);
  if (size < 1) ctx.Fail("size is " + std::to_string(size) + ", wanted at least 1");
  if (size % 2 == 0) {
    ctx.Keep();
    return;
  }
  Node& node = ctx.Pass("LRN");
  node.attrs.Set("depth_radius", (size - 1) / 2);
  node.attrs.Set("alpha", ctx.Float("alpha", 1e-4f) / static_cast<float>(size));
  node.attrs.Set("beta", ctx.Float("beta", 0.75f));
  node.attrs.Set("bias", ctx.Float("bias", 1));
}

}  // namespace

void RegisterNormalizationConverters(ConverterRegistry& registry) {
  registry.Add("BatchNormalization", 1, BatchNormalization);
  registry.AddKeep("GroupNormalization", 18);
  registry.Add("GroupNormalization", 21, GroupNormalization);
  registry.Add("InstanceNormalization", 1, InstanceNormalization);
  registry.Add("LRN", 1, Lrn);
  registry.Add("LayerNormalization", 17, LayerNormalization);
  registry.AddKeep("LpNormalization", 1);
  registry.Add("MeanVarianceNormalization", 9, MeanVarianceNormalization);
  registry.Add("RMSNormalization", 23, RmsNormalization);
}

}  // namespace atc::onnx_parser
