// Operators that TensorFlow graphs for Ascend devices hold besides TensorFlow's own: AscendIR's, under their names.
#include "compiler/ops/scalar.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

// Attributes that the graph gives, by their kinds; what it leaves out is the operator's default.
void SetNumbers(const NodeContext& ctx, Node& node, std::initializer_list<const char*> ints,
                std::initializer_list<const char*> floats, std::initializer_list<const char*> bools = {}) {
  for (const char* attr : ints) {
    if (ctx.Has(attr)) node.attrs.Set(attr, ctx.Int(attr));
  }
  for (const char* attr : floats) {
    if (ctx.Has(attr)) node.attrs.Set(attr, ctx.Float(attr));
  }
  for (const char* attr : bools) {
    if (ctx.Has(attr)) node.attrs.Set(attr, ctx.Bool(attr));
  }
}

// A type may be named as such or by GE's number.
void SetTypeNumber(const NodeContext& ctx, Node& node, const char* attr) {
  if (!ctx.Has(attr)) return;
  const DataType dtype = ctx.Type(attr);
  node.attrs.Set(attr, dtype == DT_UNDEFINED ? ctx.Int(attr) : static_cast<int64_t>(dtype));
}

void ConvertQuant(NodeContext& ctx) {
  Node& node = ctx.Pass(ctx.op());
  SetNumbers(ctx, node, {}, {"scale", "offset"}, {"sqrt_mode", "relu_flag"});
  if (ctx.Has("round_mode")) node.attrs.Set("round_mode", AttrValue(ctx.String("round_mode")));
  for (const char* attr : {"dtype", "dst_type"}) SetTypeNumber(ctx, node, attr);
}

void ConvertLayerNorm(NodeContext& ctx) {
  SetNumbers(ctx, ctx.Pass("LayerNorm", 3), {"begin_norm_axis", "begin_params_axis"}, {"epsilon"});
}

void ConvertInstanceNorm(NodeContext& ctx) {
  Node& node = ctx.Pass("InstanceNorm", 3);
  SetNumbers(ctx, node, {}, {"epsilon"});
  node.attrs.Set("data_format", AttrValue(ctx.String("data_format", ctx.Rank(0) == 5 ? "NDHWC" : "NHWC")));
}

// Rows of rois are the image's number and two corners. roi_end_mode: 0 corners as they are, 1 the far corner counts as a
// pixel more, 2 and 3 corners less half a pixel.
void ConvertRoiAlign(NodeContext& ctx) {
  const int64_t end_mode = ctx.Int("roi_end_mode", 1);
  const auto columns = [&](int64_t begin, int64_t count, const char* suffix) {
    const ValueId at = ctx.ConstInts({0, begin}, std::string(suffix) + "_begin");
    const ValueId size = ctx.ConstInts({-1, count}, std::string(suffix) + "_size");
    return ctx.Emit("Slice", {ctx.In(1), at, size}, 1, suffix).outputs[0];
  };
  Node& first = ctx.Emit("Squeeze", {columns(0, 1, "image_column")}, 1, "image");
  first.attrs.Set("axis", std::vector<int64_t>{1});
  Node& images = ctx.Emit("Cast", {first.outputs[0]}, 1, "image_number");
  images.attrs.Set("dst_type", static_cast<int64_t>(DT_INT64));
  ValueId boxes = columns(1, 4, "boxes");
  if (end_mode == 1) {
    const ValueId more = ctx.Const(Tensor::From<float>(DT_FLOAT, {1, 4}, {0, 0, 1, 1}), "pixel");
    boxes = ctx.Emit("Add", {boxes, more}, 1, "whole_boxes").outputs[0];
  }
  Node& node = ctx.Emit("onnx::RoiAlign", {ctx.In(0), boxes, images.outputs[0]});
  node.attrs.Set("coordinate_transformation_mode", end_mode >= 2 ? "half_pixel" : "output_half_pixel");
  node.attrs.Set("mode", AttrValue(ctx.String("pool_mode", "avg")));
  node.attrs.Set("output_height", ctx.Int("pooled_height"));
  node.attrs.Set("output_width", ctx.Int("pooled_width"));
  node.attrs.Set("sampling_ratio", ctx.Int("sample_num", 2));
  node.attrs.Set("spatial_scale", ctx.Float("spatial_scale", 1));
  ctx.SetOutput(0, node.outputs[0]);
}

// Values, places and number of the elements that are not 0.
void ConvertNonZeroWithValue(NodeContext& ctx) {
  Node& places = ctx.Emit("NonZero", {ctx.In(0)}, 1, "rows");
  places.attrs.Set("dtype", AttrValue(DT_INT32));
  const ValueId rows = places.outputs[0];
  ctx.SetOutput(0, ctx.Emit("GatherNd", {ctx.In(0), rows}).outputs[0]);
  ValueId index = rows;
  if (ctx.Bool("transpose")) {
    index = ctx.Emit("Transpose", {rows, ctx.ConstInts({1, 0}, "perm")}, 1, "index").outputs[0];
  }
  ctx.SetOutput(1, index);
  const ValueId shape = ctx.Emit("Shape", {rows}, 1, "shape").outputs[0];
  const ValueId first = ctx.ConstInts({0}, "first");
  ctx.SetOutput(2, ctx.Emit("GatherV2", {shape, first, ctx.ConstInts({0}, "axis")}, 1, "count").outputs[0]);
}

}  // namespace

void RegisterAscendOperatorsConverters(ConverterRegistry& registry) {
  for (const char* op : {"AscendAntiQuant", "AscendDequant", "AscendQuant"}) registry.Add(op, ConvertQuant);
  for (const char* op : {"FastGelu", "FastGeluV2", "PRelu"}) registry.AddPass(op, op);
  registry.Add("InstanceNorm", ConvertInstanceNorm);
  registry.Add("LayerNorm", ConvertLayerNorm);
  registry.Add("NonZero", [](NodeContext& ctx) {
    Node& node = ctx.Pass("NonZero");
    node.attrs.Set("transpose", ctx.Bool("transpose"));
    node.attrs.Set("dtype", AttrValue(ctx.Type("dtype", DT_INT64)));
  });
  registry.Add("NonZeroWithValue", ConvertNonZeroWithValue);
  registry.Add("ROIAlign", ConvertRoiAlign);
}

}  // namespace atc::tf_parser
