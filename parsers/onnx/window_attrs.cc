#include "parsers/onnx/window_attrs.h"

namespace atc::onnx_parser {

size_t SpatialAxes(const NodeContext& ctx, bool filter) {
  for (const char* attr : {"kernel_shape", "strides", "dilations"}) {
    if (const size_t entries = ctx.Ints(attr).size(); entries > 0) return entries;
  }
  if (const size_t entries = ctx.Ints("pads").size(); entries > 0) return entries / 2;
  for (size_t i = 0; i < (filter ? 2 : 1); ++i) {
    const TensorDesc& desc = ctx.Desc(i);
    if (desc.dtype != DT_UNDEFINED && desc.origin_shape.HasRank() && desc.origin_shape.rank() > 2) {
      return desc.origin_shape.rank() - 2;
    }
  }
  return 0;
}

std::vector<int64_t> WithChannels(const NodeContext& ctx, std::string_view attr, size_t spatial, int64_t fallback) {
  std::vector<int64_t> list = ctx.Ints(attr);
  if (list.empty()) list.assign(spatial, fallback);
  if (list.size() != spatial) {
    ctx.Fail(std::string(attr) + " has " + std::to_string(list.size()) + " entries, wanted " + std::to_string(spatial));
  }
  list.insert(list.begin(), 2, fallback);
  return list;
}

std::vector<int64_t> InterleavedPads(const NodeContext& ctx, size_t spatial) {
  const std::vector<int64_t> pads = ctx.Ints("pads");
  if (pads.empty()) return std::vector<int64_t>(2 * spatial, 0);
  if (pads.size() != 2 * spatial) {
    ctx.Fail("pads has " + std::to_string(pads.size()) + " entries, wanted " + std::to_string(2 * spatial));
  }
  std::vector<int64_t> result;
  for (size_t d = 0; d < spatial; ++d) {
    result.push_back(pads[d]);
    result.push_back(pads[spatial + d]);
  }
  return result;
}

std::vector<int64_t> WithUnitAxis(std::vector<int64_t> list, size_t at, std::vector<int64_t> entries) {
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), entries.begin(), entries.end());
  return list;
}

ValueId Unsqueezed(NodeContext& ctx, ValueId x, int64_t axis, std::string_view suffix) {
  Node& node = ctx.Emit("Unsqueeze", {x}, 1, suffix);
  node.attrs.Set("axes", std::vector<int64_t>{axis});
  return node.outputs[0];
}

void SetSqueezed(NodeContext& ctx, ValueId value, int64_t axis) {
  Node& node = ctx.Emit("Squeeze", {value});
  node.attrs.Set("axis", std::vector<int64_t>{axis});
  ctx.SetOutput(0, node.outputs[0]);
}

}  // namespace atc::onnx_parser
