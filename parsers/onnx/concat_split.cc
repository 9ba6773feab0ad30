// Concat and Split.
#include <algorithm>

#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void ConvertConcat(NodeContext& ctx) {
  const std::vector<ValueId> inputs = ctx.Inputs();
  if (inputs.empty()) ctx.Fail("Concat has no inputs; at least one is wanted");
  if (inputs.size() == 1) {
    ctx.SetOutput(0, ctx.Emit("Identity", inputs).outputs[0]);
    return;
  }
  Node& node = ctx.Emit("ConcatD", inputs);
  node.attrs.Set("concat_dim", ctx.Int("axis", 1));  // the default is of opset 1; later ones require it
  node.attrs.Set("N", static_cast<int64_t>(inputs.size()));
  ctx.SetOutput(0, node.outputs[0]);
}

void SetOutputs(NodeContext& ctx, Node& node, size_t count) {
  if (ctx.num_outputs() > count) {
    ctx.Fail("it has " + std::to_string(ctx.num_outputs()) + " outputs and splits into " + std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) ctx.SetOutput(i, node.outputs[i]);
}

void EmitSplitV(NodeContext& ctx, ValueId sizes, int64_t axis, size_t count) {
  Node& node = ctx.Emit("SplitV", {ctx.In(0), sizes, ctx.ConstInts({axis}, "split_dim")}, count);
  node.attrs.Set("num_split", static_cast<int64_t>(count));
  SetOutputs(ctx, node, count);
}

void EmitEqualSplit(NodeContext& ctx, int64_t axis, size_t count) {
  const ValueId split_dim = ctx.Const(Tensor::From<int32_t>(DT_INT32, {}, {static_cast<int32_t>(axis)}), "split_dim");
  Node& node = ctx.Emit("Split", {split_dim, ctx.In(0)}, count);
  node.attrs.Set("num_split", static_cast<int64_t>(count));
  SetOutputs(ctx, node, count);
}

// Since opset 18 the number of parts may be given, the last of which is smaller where they cannot be equal.
void SplitIntoParts(NodeContext& ctx, int64_t axis, size_t count) {
  const TensorDesc& desc = ctx.Desc(0);
  const Shape& shape = desc.origin_shape;
  const auto rank = static_cast<int64_t>(shape.rank());
  const int64_t at = axis < 0 ? axis + rank : axis;
  const bool known = desc.dtype != DT_UNDEFINED && shape.HasRank() && at >= 0 && at < rank && shape[at] >= 0;
  if (!known) {
    Node& node = ctx.Emit("onnx::Split", {ctx.In(0)}, count);
    ctx.CopyAttrs(node);
    node.attrs.Set("opset", static_cast<int64_t>(ctx.opset()));
    SetOutputs(ctx, node, count);
    return;
  }
  const int64_t n = static_cast<int64_t>(count);
  if (shape[at] % n == 0) return EmitEqualSplit(ctx, axis, count);
  const int64_t part = (shape[at] + n - 1) / n;
  std::vector<int64_t> sizes;
  for (int64_t i = 0, left = shape[at]; i < n; ++i, left -= sizes.back()) sizes.push_back(std::min(part, left));
  EmitSplitV(ctx, ctx.ConstInts(sizes, "size_splits"), axis, count);
}

void ConvertSplit(NodeContext& ctx) {
  const int64_t axis = ctx.Int("axis", 0);
  const size_t listed = ctx.num_outputs();
  if (ctx.HasInput(1)) return EmitSplitV(ctx, ctx.In(1), axis, listed);
  const std::vector<int64_t> sizes = ctx.Ints("split");
  if (!sizes.empty()) return EmitSplitV(ctx, ctx.ConstInts(sizes, "size_splits"), axis, sizes.size());
  const int64_t count = ctx.Int("num_outputs", static_cast<int64_t>(listed));
  if (count < static_cast<int64_t>(listed) || count < 1 || count > 1 << 20) {
    ctx.Fail("num_outputs is " + std::to_string(count) + ", the node has " + std::to_string(listed) + " outputs");
  }
  if (ctx.HasAttr("num_outputs")) return SplitIntoParts(ctx, axis, count);
  EmitEqualSplit(ctx, axis, count);
}

}  // namespace

void RegisterConcatSplitConverters(ConverterRegistry& registry) {
  registry.Add("Concat", 1, ConvertConcat);
  registry.Add("Split", 1, ConvertSplit);
}

}  // namespace atc::onnx_parser
