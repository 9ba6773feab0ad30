// Picking and placing elements by index.
#include "compiler/ops/scalar.h"
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

// `reduction` as ONNX has it.
void Scatter(NodeContext& ctx, ValueId data, ValueId updates, const char* reduction) {
  const ValueId indices = ctx.In(data == kNoId ? 0 : 1);
  ValueId target = data;
  if (target == kNoId) {  // zeros of the shape that input 2 gives
    const ValueId zero = ctx.Const(ScalarOf(ctx.Type("T", ctx.InType(1)), 0), "zero");
    target = ctx.Emit("Fill", {ctx.In(2), zero}, 1, "zeros").outputs[0];
  }
  Node& node = ctx.Emit("onnx::ScatterND", {target, indices, updates});
  node.attrs.Set("reduction", reduction);
  node.attrs.Set("opset", 18);
  ctx.SetOutput(0, node.outputs[0]);
}

struct Update {
  const char* op;
  const char* reduction;
};

constexpr Update kUpdates[] = {
    {"ScatterNdNonAliasingAdd", "add"}, {"TensorScatterAdd", "add"},     {"TensorScatterMax", "max"},
    {"TensorScatterMin", "min"},        {"TensorScatterUpdate", "none"},
};

}  // namespace

void RegisterGatherScatterConverters(ConverterRegistry& registry) {
  for (const char* op : {"InplaceAdd", "InplaceSub", "InplaceUpdate"}) registry.AddPass(op, op);
  registry.Add("DynamicPartition", [](NodeContext& ctx) {
    const int64_t count = ctx.Int("num_partitions");
    if (count < 1 || count > 1 << 16) ctx.Fail("num_partitions is " + std::to_string(count));
    ctx.Pass("DynamicPartition", static_cast<size_t>(count)).attrs.Set("num_partitions", count);
  });
  for (const char* op : {"DynamicStitch", "ParallelDynamicStitch"}) {
    registry.Add(op, [](NodeContext& ctx) { ctx.Pass("tf::DynamicStitch").attrs.Set("N", ctx.Int("N")); });
  }
  registry.Add("Gather", ConvertGather);
  registry.Add("GatherNd", [](NodeContext& ctx) { ctx.Pass("GatherNd"); });
  registry.Add("GatherV2", ConvertGatherV2);
  for (const Update& update : kUpdates) {
    registry.Add(update.op, [&update](NodeContext& ctx) { Scatter(ctx, ctx.In(0), ctx.In(2), update.reduction); });
  }
  registry.Add("TensorScatterSub", [](NodeContext& ctx) {
    Scatter(ctx, ctx.In(0), ctx.Emit("Neg", {ctx.In(2)}, 1, "negative").outputs[0], "add");
  });
  registry.Add("ScatterNd", [](NodeContext& ctx) { Scatter(ctx, kNoId, ctx.In(1), "add"); });
  registry.Add("ResourceGather", ConvertGather);
  registry.Add("ResourceGatherNd", [](NodeContext& ctx) { ctx.Pass("GatherNd"); });
}

}  // namespace atc::tf_parser
