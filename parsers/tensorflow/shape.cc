// Shapes and what changes nothing but them.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

// A 0 is the size 0.
void ConvertReshape(NodeContext& ctx) { ctx.Pass("Reshape").attrs.Set("allowzero", 1); }

void ConvertExpandDims(NodeContext& ctx) {
  std::vector<int64_t> axis;
  if (ctx.KnownInts(1, &axis)) {
    Node& node = ctx.Emit("Unsqueeze", {ctx.In(0)});
    node.attrs.Set("axes", axis);
    ctx.SetOutput(0, node.outputs[0]);
    return;
  }
  ctx.Pass("UnsqueezeV3");
}

void ConvertSqueeze(NodeContext& ctx) {
  ctx.Pass("Squeeze").attrs.Set("axis", ctx.Ints(ctx.Has("squeeze_dims") ? "squeeze_dims" : "axis"));
}

void EmitShape(NodeContext& ctx, Name type) {
  ctx.Pass(type).attrs.Set("dtype", static_cast<int64_t>(ctx.Type("out_type", DT_INT32)));
}

void ConvertShapeN(NodeContext& ctx) {
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    Node& node = ctx.Emit("Shape", {ctx.In(i)}, 1, i == 0 ? "" : std::to_string(i));
    node.attrs.Set("dtype", static_cast<int64_t>(ctx.Type("out_type", DT_INT32)));
    ctx.SetOutput(i, node.outputs[0]);
  }
}

// The number of elements of the shape.
void ConvertRank(NodeContext& ctx) {
  if (const int64_t rank = ctx.Rank(0); rank >= 0) {
    ctx.SetOutput(0, ctx.Const(ScalarOf(DT_INT32, static_cast<double>(rank)), ""));
    return;
  }
  const ValueId shape = ctx.Emit("Shape", {ctx.In(0)}, 1, "shape").outputs[0];
  ctx.SetOutput(0, ctx.Emit("Size", {shape}).outputs[0]);
}

void ConvertTranspose(NodeContext& ctx) { ctx.Pass("Transpose"); }

// A shape that is only promised is checked where it is known.
void ConvertEnsureShape(NodeContext& ctx) {
  const Shape& found = ctx.Desc(0).origin_shape;
  const Shape wanted = ctx.ShapeAttr("shape");
  bool fits = ctx.Rank(0) < 0 || !wanted.HasRank() || wanted.rank() == found.rank();
  for (size_t d = 0; fits && ctx.Rank(0) >= 0 && wanted.HasRank() && d < found.rank(); ++d) {
    fits = wanted[d] < 0 || found[d] < 0 || wanted[d] == found[d];
  }
  if (!fits) ctx.Fail("its input has shape " + ToString(found) + ", it wants " + ToString(wanted));
  ctx.Pass("Identity");
}

// Where each letter of src_format stands in dst_format.
std::vector<int64_t> FormatMap(NodeContext& ctx, const std::string& from, const std::string& to) {
  std::vector<int64_t> map;
  for (const char letter : from) {
    const size_t at = to.find(letter);
    if (at == std::string::npos || to.size() != from.size()) {
      ctx.Fail("src_format '" + from + "' and dst_format '" + to + "' must have the same letters");
    }
    map.push_back(static_cast<int64_t>(at));
  }
  return map;
}

// Numbers of axes, counted from either end.
void ConvertDimMap(NodeContext& ctx) {
  const std::vector<int64_t> map = FormatMap(ctx, ctx.String("src_format", "NHWC"), ctx.String("dst_format", "NCHW"));
  std::vector<int64_t> twice = map;  // from -rank on
  twice.insert(twice.end(), map.begin(), map.end());
  const DataType dtype = ctx.Type("T", DT_INT32);
  const Tensor ints = Tensor::Ints(twice);
  const Tensor table = dtype == DT_INT64 ? ints : Tensor::From(DT_INT32, ints.shape(), std::vector<int32_t>(twice.begin(), twice.end()));
  const ValueId rank = ctx.Const(ScalarOf(dtype, static_cast<double>(map.size())), "rank");
  const ValueId place = ctx.Emit("Add", {ctx.In(0), rank}, 1, "place").outputs[0];
  ctx.SetOutput(0, ctx.Emit("GatherV2", {ctx.Const(table, "axes"), place, ctx.ConstInts({0}, "axis")}).outputs[0]);
}

// Rows for the axes of src_format, or for its spatial ones alone.
void ConvertVecPermute(NodeContext& ctx) {
  std::string from = ctx.String("src_format", "NHWC"), to = ctx.String("dst_format", "NCHW");
  if (ctx.Rank(0) < 1) ctx.Fail("the rank of its input must be known, 1 or 2");
  const int64_t rows = ctx.Desc(0).origin_shape[0];
  if (rows == static_cast<int64_t>(from.size()) - 2) {
    for (std::string* format : {&from, &to}) std::erase_if(*format, [](char c) { return c == 'N' || c == 'C'; });
  }
  const ValueId order = ctx.ConstInts(FormatMap(ctx, to, from), "order");
  ctx.SetOutput(0, ctx.Emit("GatherV2", {ctx.In(0), order, ctx.ConstInts({0}, "axis")}).outputs[0]);
}

}  // namespace

void RegisterShapeConverters(ConverterRegistry& registry) {
  registry.AddPass("BroadcastTo", "BroadcastTo");
  registry.AddPass("BroadcastArgs", "BroadcastArgs");
  registry.Add("ConjugateTranspose", ConvertTranspose);
  registry.Add("DataFormatDimMap", ConvertDimMap);
  registry.Add("DataFormatVecPermute", ConvertVecPermute);
  registry.AddPass("InvertPermutation", "InvertPermutation");
  registry.Add("ReverseSequence", [](NodeContext& ctx) {
    Node& node = ctx.Pass("ReverseSequence");
    node.attrs.Set("seq_dim", ctx.Int("seq_dim"));
    node.attrs.Set("batch_dim", ctx.Int("batch_dim"));
  });
  registry.AddPass("ReverseV2", "ReverseV2");
  registry.AddKeep("Roll");
  registry.Add("EnsureShape", ConvertEnsureShape);
  registry.Add("ExpandDims", ConvertExpandDims);
  registry.Add("Rank", ConvertRank);
  registry.Add("Reshape", ConvertReshape);
  registry.Add("Shape", [](NodeContext& ctx) { EmitShape(ctx, "Shape"); });
  registry.Add("ShapeN", ConvertShapeN);
  registry.Add("Size", [](NodeContext& ctx) { EmitShape(ctx, "Size"); });
  registry.Add("Squeeze", ConvertSqueeze);
  registry.AddPass("Tile", "Tile");
  registry.Add("Transpose", ConvertTranspose);
}

}  // namespace atc::tf_parser
