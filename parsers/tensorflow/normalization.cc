// Bias, batch and response normalisation, cross entropy.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/data_format.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

void ConvertBiasAdd(NodeContext& ctx) {
  const std::string format = ctx.String("data_format", "NHWC");
  ValueId bias = ctx.In(1);
  if (format == "NCHW" || format == "NCDHW") {
    const int64_t rank = ctx.Rank(0);
    if (rank < 2) ctx.Fail("data_format is " + format + ", and the rank of its input is not known");
    bias = AlongChannels(ctx, bias, rank == 5 ? "NCDHW" : rank == 4 ? "NCHW" : rank == 3 ? "NCW" : "NC", "bias");
  }
  ctx.SetOutput(0, ctx.Emit("Add", {ctx.In(0), bias}).outputs[0]);
}

// Outputs behind the first are the statistics that it was given, in inference.
void ConvertFusedBatchNorm(NodeContext& ctx) {
  const bool training = ctx.Bool("is_training", true);
  size_t outputs = 1;
  for (size_t i = 1; i < 6; ++i) {
    if (training && ctx.WantsOutput(i)) outputs = i + 1;
  }
  std::vector<ValueId> inputs = ctx.Inputs();
  if (training && inputs.size() > 3) inputs.resize(3);
  Node& node = ctx.Emit("BatchNorm", inputs, outputs);
  node.attrs.Set("epsilon", ctx.Float("epsilon", 1e-4f));
  node.attrs.Set("data_format", DataFormat(ctx, ctx.Rank(0) == 5 ? 3 : 2));
  node.attrs.Set("is_training", training);
  ctx.SetOutput(0, node.outputs[0]);
  for (size_t i = 1; i < 6; ++i) {
    if (training && i < outputs) ctx.SetOutput(i, node.outputs[i]);
    if (!training) ctx.SetOutput(i, i % 2 == 1 ? inputs[3] : inputs[4]);
  }
}

// AscendIR's LRN takes channels first.
void ConvertLrn(NodeContext& ctx) {
  const ValueId x = Permuted(ctx, ctx.In(0), {0, 3, 1, 2}, "channels_first");
  Node& node = ctx.Emit("LRN", {x}, 1, "norm");
  node.attrs.Set("depth_radius", ctx.Int("depth_radius", 5));
  node.attrs.Set("bias", ctx.Float("bias", 1.0f));
  node.attrs.Set("alpha", ctx.Float("alpha", 1.0f));
  node.attrs.Set("beta", ctx.Float("beta", 0.5f));
  ctx.SetOutput(0, Permuted(ctx, node.outputs[0], {0, 2, 3, 1}, ""));
}

void ConvertCrossEntropy(NodeContext& ctx) { ctx.Pass(ctx.op(), 2); }

}  // namespace

void RegisterNormalizationConverters(ConverterRegistry& registry) {
  registry.Add("BiasAdd", ConvertBiasAdd);
  registry.Add("BiasAddV1", ConvertBiasAdd);
  registry.Add("LRN", ConvertLrn);
  for (const char* op : {"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"}) {
    registry.Add(op, ConvertCrossEntropy);
  }
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    registry.Add(op, ConvertFusedBatchNorm);
  }
}

}  // namespace atc::tf_parser
