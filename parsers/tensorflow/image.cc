// Images: resizing, blocks between channels and plane.
#include "parsers/tensorflow/data_format.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

// Images are NHWC; rows and columns are resized.
void EmitResize(NodeContext& ctx, const char* mode, ValueId x) {
  const bool corners = ctx.Bool("align_corners"), half = ctx.Bool("half_pixel_centers");
  const bool nearest = mode == std::string_view("nearest");
  Node& node = ctx.Emit("onnx::Resize", {x, kNoId, kNoId, ctx.In(1)});
  node.attrs.Set("mode", mode);
  node.attrs.Set("axes", std::vector<int64_t>{1, 2});
  node.attrs.Set("coordinate_transformation_mode", corners           ? "align_corners"
                                                   : !half           ? "asymmetric"
                                                   : nearest         ? "tf_half_pixel_for_nn"
                                                                     : "half_pixel");
  node.attrs.Set("nearest_mode", corners ? "round_prefer_ceil" : "floor");
  ctx.SetOutput(0, node.outputs[0]);
}

// Interpolation gives floats, whatever the type of the image.
void Interpolate(NodeContext& ctx, const char* mode) {
  ValueId x = ctx.In(0);
  const DataType dtype = ctx.Type("T", ctx.InType(0));
  if (dtype != DT_FLOAT && dtype != DT_UNDEFINED) {
    Node& cast = ctx.Emit("Cast", {x}, 1, "float");
    cast.attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
    x = cast.outputs[0];
  }
  EmitResize(ctx, mode, x);
}

void ConvertBlocks(NodeContext& ctx) {
  Node& node = ctx.Pass(ctx.op());
  node.attrs.Set("block_size", ctx.Int("block_size"));
  node.attrs.Set("data_format", DataFormat(ctx, 2));
}

}  // namespace

void RegisterImageConverters(ConverterRegistry& registry) {
  registry.Add("CropAndResize", [](NodeContext& ctx) {
    std::vector<ValueId> inputs = ctx.Inputs();
    if (const DataType dtype = ctx.Type("T", ctx.InType(0)); dtype != DT_FLOAT) {
      Node& cast = ctx.Emit("Cast", {inputs[0]}, 1, "float");
      cast.attrs.Set("dst_type", static_cast<int64_t>(DT_FLOAT));
      inputs[0] = cast.outputs[0];
    }
    Node& node = ctx.Emit("CropAndResize", inputs);
    node.attrs.Set("extrapolation_value", ctx.Float("extrapolation_value"));
    node.attrs.Set("method", AttrValue(ctx.String("method", "bilinear")));
    ctx.SetOutput(0, node.outputs[0]);
  });
  for (const char* op : {"AdjustContrastv2", "AdjustHue", "HSVToRGB", "RGBToHSV"}) registry.AddKeep(op);
  registry.AddPass("AdjustSaturation", "AdjustSaturation");
  registry.AddPassWithAttrs("ExtractImagePatches", "ExtractImagePatches");
  registry.AddPassWithAttrs("ExtractGlimpseV2", "ExtractGlimpseV2");
  registry.AddKeep("ExtractGlimpse");
  for (const char* op : {"ImageProjectiveTransformV2", "ImageProjectiveTransformV3"}) {
    registry.AddPassWithAttrs(op, "ImageProjectiveTransformV2");
  }
  registry.Add("Dilation2D", [](NodeContext& ctx) {
    Node& node = ctx.Pass("Dilation2D");
    node.attrs.Set("strides", ctx.Ints("strides"));
    node.attrs.Set("rates", ctx.Ints("rates"));
    node.attrs.Set("padding_mode", AttrValue(ctx.String("padding")));
  });
  registry.Add("DepthToSpace", ConvertBlocks);
  registry.AddKeep("ResizeArea");
  registry.AddKeep("ResizeBicubic");
  registry.Add("ResizeBilinear", [](NodeContext& ctx) { Interpolate(ctx, "linear"); });
  registry.Add("ResizeNearestNeighbor", [](NodeContext& ctx) { EmitResize(ctx, "nearest", ctx.In(0)); });
  registry.AddPassWithAttrs("ScaleAndTranslate", "ScaleAndTranslate");
  registry.Add("SpaceToDepth", ConvertBlocks);
  for (const char* op : {"BatchToSpace", "SpaceToBatch"}) {
    registry.Add(op, [](NodeContext& ctx) { ctx.Pass(ctx.op()).attrs.Set("block_size", ctx.Int("block_size")); });
  }
  registry.AddPass("BatchToSpaceND", "BatchToSpaceND");
  registry.AddPass("SpaceToBatchND", "SpaceToBatchND");
}

}  // namespace atc::tf_parser
