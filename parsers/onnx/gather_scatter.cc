// Picking and writing elements by index. ONNX counts negative indices from the end everywhere; AscendIR's element-wise
// forms do not, so they serve constants without negative ones alone.
#include <algorithm>

#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

bool HasNoNegative(NodeContext& ctx, size_t input) {
  const Tensor* indices = ctx.Constant(input);
  if (indices == nullptr || !IsInteger(indices->dtype())) return false;
  const std::vector<int64_t> values = ToInts(*indices);
  return std::all_of(values.begin(), values.end(), [](int64_t index) { return index >= 0; });
}

void ConvertGather(NodeContext& ctx) {
  const ValueId axis = ctx.Const(Tensor::Scalar(ctx.Int("axis", 0)), "axis");
  Node& node = ctx.Emit("GatherV2", {ctx.In(0), ctx.In(1), axis});
  node.attrs.Set("negative_index_support", AttrValue(true));
  ctx.SetOutput(0, node.outputs[0]);
}

void ConvertGatherElements(NodeContext& ctx) {
  if (!HasNoNegative(ctx, 1)) {
    ctx.Keep();
    return;
  }
  ctx.Pass("GatherElements").attrs.Set("dim", AttrValue(ctx.Int("axis", 0)));
}

void ConvertGatherNd(NodeContext& ctx) {
  if (ctx.Int("batch_dims", 0) != 0) {
    ctx.Keep();
    return;
  }
  ctx.Pass("GatherNd").attrs.Set("negative_index_support", AttrValue(true));
}

// Scatter is the name before opset 11. AscendIR knows the reductions none, add and mul.
void ConvertScatterElements(NodeContext& ctx) {
  const std::string reduction = ctx.String("reduction", "none");
  const bool known = reduction == "none" || reduction == "add" || reduction == "mul";
  Node& node = ctx.Pass(known && HasNoNegative(ctx, 1) ? "ScatterElements" : "onnx::ScatterElements");
  node.attrs.Set("axis", AttrValue(ctx.Int("axis", 0)));
  node.attrs.Set("reduction", AttrValue(reduction));
  if (node.type() == "onnx::ScatterElements") node.attrs.Set("opset", AttrValue(static_cast<int64_t>(ctx.opset())));
}

}  // namespace

void RegisterGatherScatterConverters(ConverterRegistry& registry) {
  registry.Add("Gather", 1, ConvertGather);
  registry.Add("GatherElements", 11, ConvertGatherElements);
  registry.Add("GatherND", 11, ConvertGatherNd);
  registry.Add("Scatter", 9, ConvertScatterElements);
  registry.Add("ScatterElements", 11, ConvertScatterElements);
  // AscendIR writes in place and does not count negative indices.
  registry.AddKeep("ScatterND", 11);
  registry.AddKeep("TensorScatter", 24);
}

}  // namespace atc::onnx_parser
