// Joining tensors and taking them apart.
#include <algorithm>
#include <numeric>

#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

constexpr int64_t kMostParts = 1 << 20;

void EmitConcat(NodeContext& ctx, size_t axis_input, size_t first) {
  const int64_t axis = ctx.RequiredInt(axis_input, "axis");
  std::vector<ValueId> parts;
  for (size_t i = 0; i + 1 < ctx.num_inputs(); ++i) parts.push_back(ctx.In(first + i));
  if (parts.empty()) ctx.Fail("it joins no tensors");
  Node& node = ctx.Emit("ConcatD", parts);
  node.attrs.Set("concat_dim", axis);
  node.attrs.Set("N", static_cast<int64_t>(parts.size()));
  ctx.SetOutput(0, node.outputs[0]);
}

size_t Parts(const NodeContext& ctx, const char* attr) {
  const int64_t count = ctx.Int(attr, 1);
  if (count < 1 || count > kMostParts) ctx.Fail(std::string(attr) + " is " + std::to_string(count));
  return static_cast<size_t>(count);
}

void SetAll(NodeContext& ctx, const Node& node) {
  for (size_t i = 0; i < node.outputs.size(); ++i) ctx.SetOutput(i, node.outputs[i]);
}

void ConvertSplit(NodeContext& ctx) {
  const size_t count = Parts(ctx, "num_split");
  Node& node = ctx.Emit("Split", {ctx.In(0), ctx.In(1)}, count);
  node.attrs.Set("num_split", static_cast<int64_t>(count));
  SetAll(ctx, node);
}

void ConvertSplitV(NodeContext& ctx) {
  const size_t count = Parts(ctx, "num_split");
  std::vector<ValueId> inputs = ctx.Inputs();
  // One size may be -1, what is left.
  std::vector<int64_t> sizes, axis;
  if (ctx.KnownInts(1, &sizes) && ctx.KnownInts(2, &axis) && axis.size() == 1 && ctx.Rank(0) > 0) {
    const Shape& x = ctx.Desc(0).origin_shape;
    const int64_t at = axis[0] < 0 ? axis[0] + ctx.Rank(0) : axis[0];
    const auto open = std::find(sizes.begin(), sizes.end(), -1);
    if (open != sizes.end() && at >= 0 && at < ctx.Rank(0) && x[static_cast<size_t>(at)] >= 0) {
      *open = 0;
      *open = x[static_cast<size_t>(at)] - std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
      inputs[1] = ctx.ConstInts(sizes, "size_splits");
    }
  }
  Node& node = ctx.Emit("SplitV", inputs, count);
  node.attrs.Set("num_split", static_cast<int64_t>(count));
  SetAll(ctx, node);
}

void ConvertPack(NodeContext& ctx) {
  Node& node = ctx.Pass("Pack");
  node.attrs.Set("axis", ctx.Int("axis"));
  node.attrs.Set("N", static_cast<int64_t>(ctx.num_inputs()));
}

void ConvertUnpack(NodeContext& ctx) {
  const int64_t count = ctx.Int("num");
  if (count < 0 || count > kMostParts) ctx.Fail("num is " + std::to_string(count));
  Node& node = ctx.Emit("Unpack", {ctx.In(0)}, static_cast<size_t>(count));
  node.attrs.Set("axis", ctx.Int("axis"));
  node.attrs.Set("num", count);
  SetAll(ctx, node);
}

void ConvertConcatOffset(NodeContext& ctx) {
  const size_t count = ctx.num_inputs() - 1;
  if (ctx.num_inputs() < 2) ctx.Fail("it has no shapes to join");
  ctx.Pass("ConcatOffset", count).attrs.Set("N", static_cast<int64_t>(count));
}

}  // namespace

void RegisterConcatSplitConverters(ConverterRegistry& registry) {
  registry.Add("Concat", [](NodeContext& ctx) { EmitConcat(ctx, 0, 1); });
  registry.Add("ConcatV2", [](NodeContext& ctx) { EmitConcat(ctx, ctx.num_inputs() - 1, 0); });
  registry.Add("ConcatOffset", ConvertConcatOffset);
  registry.Add("Pack", ConvertPack);
  registry.Add("ParallelConcat", [](NodeContext& ctx) {
    Node& node = ctx.Pass("ConcatD");
    node.attrs.Set("concat_dim", 0);
    node.attrs.Set("N", static_cast<int64_t>(ctx.num_inputs()));
  });
  registry.Add("Split", ConvertSplit);
  registry.Add("SplitV", ConvertSplitV);
  registry.Add("Unpack", ConvertUnpack);
}

}  // namespace atc::tf_parser
