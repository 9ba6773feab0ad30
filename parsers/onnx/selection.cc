// Rearranging and selecting: blocks, triangles, sequences, distinct and non-zero elements; small linear algebra.
#include "parsers/onnx/families.h"

namespace atc::onnx_parser {
namespace {

void ConvertDepthToSpace(NodeContext& ctx) {
  Node& node = ctx.Pass("DepthToSpace");
  node.attrs.Set("block_size", AttrValue(ctx.Int("blocksize", 0)));
  node.attrs.Set("mode", AttrValue(ctx.String("mode", "DCR")));
  node.attrs.Set("data_format", "NCHW");
}

void ConvertSpaceToDepth(NodeContext& ctx) {
  Node& node = ctx.Pass("SpaceToDepth");
  node.attrs.Set("block_size", AttrValue(ctx.Int("blocksize", 0)));
  node.attrs.Set("data_format", "NCHW");
}

void ConvertEinsum(NodeContext& ctx) {
  Node& node = ctx.Pass("Einsum");
  node.attrs.Set("equation", AttrValue(ctx.String("equation", "")));
  node.attrs.Set("N", AttrValue(static_cast<int64_t>(ctx.num_inputs())));
}

void ConvertNonZero(NodeContext& ctx) {
  Node& node = ctx.Pass("NonZero");
  node.attrs.Set("transpose", AttrValue(true));  // [rank, n]
  node.attrs.Set("dtype", AttrValue(DT_INT64));
}

void ConvertReverseSequence(NodeContext& ctx) {
  Node& node = ctx.Pass("ReverseSequence");
  node.attrs.Set("seq_dim", AttrValue(ctx.Int("time_axis", 0)));
  node.attrs.Set("batch_dim", AttrValue(ctx.Int("batch_axis", 1)));
}

void ConvertTrilu(NodeContext& ctx) { ctx.Pass("Trilu").attrs.Set("upper", AttrValue(ctx.Int("upper", 1))); }

// AscendIR's operator has neither an axis nor the places of first occurrence, and promises no order unless sorted.
void ConvertUnique(NodeContext& ctx) {
  if (ctx.HasAttr("axis") || ctx.Int("sorted", 1) == 0 || ctx.WantsOutput(1)) {
    ctx.Keep();
    return;
  }
  Node& node = ctx.Emit("UniqueWithCountsAndSorting", {ctx.In(0)}, 3);
  node.attrs.Set("sorted", AttrValue(true));
  node.attrs.Set("return_inverse", AttrValue(true));
  node.attrs.Set("return_counts", AttrValue(true));
  ctx.SetOutput(0, node.outputs[0]);
  ctx.SetOutput(2, node.outputs[1]);
  ctx.SetOutput(3, node.outputs[2]);
}

}  // namespace

void RegisterSelectionConverters(ConverterRegistry& registry) {
  registry.AddKeep("Compress", 9);
  registry.Add("DepthToSpace", 1, ConvertDepthToSpace);
  registry.Add("Det", 11, [](NodeContext& ctx) { ctx.Pass("MatrixDeterminant"); });
  registry.Add("Einsum", 12, ConvertEinsum);
  registry.AddKeep("EyeLike", 9);
  registry.Add("NonZero", 9, ConvertNonZero);
  registry.AddKeep("OneHot", 9);
  registry.Add("ReverseSequence", 10, ConvertReverseSequence);
  registry.Add("SpaceToDepth", 1, ConvertSpaceToDepth);
  registry.Add("Trilu", 14, ConvertTrilu);
  registry.Add("Unique", 11, ConvertUnique);
}

}  // namespace atc::onnx_parser
