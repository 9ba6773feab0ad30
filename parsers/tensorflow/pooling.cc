// Pooling in the data's own layout.
#include "parsers/tensorflow/data_format.h"
#include "parsers/tensorflow/families.h"

namespace atc::tf_parser {
namespace {

using Ints = std::vector<int64_t>;

void Pool(NodeContext& ctx, Name type, size_t spatial, const Ints& ksize, const Ints& strides, ValueId x) {
  const std::string format = DataFormat(ctx, spatial);
  const std::string padding = ctx.String("padding");
  if (ksize.size() != spatial + 2 || strides.size() != spatial + 2) {
    ctx.Fail("ksize and strides have " + std::to_string(ksize.size()) + " and " + std::to_string(strides.size()) +
             " entries, wanted " + std::to_string(spatial + 2));
  }
  const size_t channels = ChannelsLast(format) ? spatial + 1 : 1;
  if (ksize[0] != 1 || strides[0] != 1 || ksize[channels] != 1 || strides[channels] != 1) {
    ctx.Fail("it pools over batch or channels, which is not supported");
  }
  Node& node = ctx.Emit(type, {x});
  node.attrs.Set("ksize", ksize);
  node.attrs.Set("strides", strides);
  node.attrs.Set("data_format", format);
  node.attrs.Set("pads", ExplicitPads(ctx, format));
  const std::string mode = padding == "EXPLICIT" ? "CALCULATED" : padding;
  if (type == "MaxPool3D") {
    node.attrs.Set("padding", mode);
  } else if (type == "AvgPool3D") {
    node.attrs.Set("count_include_pad", false);
    if (padding == "SAME") node.attrs.Set("auto_pad", "SAME_UPPER");
  } else {
    node.attrs.Set("padding_mode", mode);
    if (type == "AvgPoolV2") node.attrs.Set("exclusive", true);
  }
  ctx.SetOutput(0, node.outputs[0]);
}

void ByAttributes(NodeContext& ctx, Name type, size_t spatial) {
  Pool(ctx, type, spatial, ctx.Ints("ksize"), ctx.Ints("strides"), ctx.In(0));
}

void MaxPoolV2(NodeContext& ctx) {
  Pool(ctx, "MaxPoolV3", 2, ctx.RequiredInts(1, "ksize"), ctx.RequiredInts(2, "strides"), ctx.In(0));
}

void WithArgmax(NodeContext& ctx) {
  Node& node = ctx.Pass("MaxPoolWithArgmax", 2);
  node.attrs.Set("ksize", ctx.Ints("ksize"));
  node.attrs.Set("strides", ctx.Ints("strides"));
  node.attrs.Set("padding", AttrValue(ctx.String("padding")));
  node.attrs.Set("Targmax", static_cast<int64_t>(ctx.Type("Targmax", DT_INT64) == DT_INT32 ? 3 : 9));
  node.attrs.Set("include_batch_in_index", ctx.Bool("include_batch_in_index"));
}

}  // namespace

void RegisterPoolingConverters(ConverterRegistry& registry) {
  registry.Add("AvgPool", [](NodeContext& ctx) { ByAttributes(ctx, "AvgPoolV2", 2); });
  registry.Add("AvgPool3D", [](NodeContext& ctx) { ByAttributes(ctx, "AvgPool3D", 3); });
  registry.Add("MaxPool", [](NodeContext& ctx) { ByAttributes(ctx, "MaxPoolV3", 2); });
  registry.Add("MaxPool3D", [](NodeContext& ctx) { ByAttributes(ctx, "MaxPool3D", 3); });
  registry.Add("MaxPoolV2", MaxPoolV2);
  registry.Add("MaxPoolWithArgmax", WithArgmax);
}

}  // namespace atc::tf_parser
