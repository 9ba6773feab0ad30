// Picking and placing elements by index.
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

void ConvertGatherV2(NodeContext& ctx) {
  Node& node = ctx.Pass("GatherV2");
  node.attrs.Set("batch_dims", ctx.Int("batch_dims"));
}

void ConvertGather(NodeContext& ctx) {
  const ValueId axis = ctx.ConstInts({0}, "axis");
  ctx.SetOutput(0, ctx.Emit("GatherV2", {ctx.In(0), ctx.In(1), axis}).outputs[0]);
}

}  // namespace

void RegisterGatherScatterConverters(ConverterRegistry& registry) {
  registry.Add("Gather", ConvertGather);
  registry.Add("GatherNd", [](NodeContext& ctx) { ctx.Pass("GatherNd"); });
  registry.Add("GatherV2", ConvertGatherV2);
  registry.Add("ResourceGather", ConvertGather);
  registry.Add("ResourceGatherNd", [](NodeContext& ctx) { ctx.Pass("GatherNd"); });
}

}  // namespace atc::tf_parser
