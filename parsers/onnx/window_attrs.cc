#include "parsers/onnx/window_attrs.h"

namespace atc::onnx_parser {

size_t SpatialAxes(const NodeContext& ctx, bool filter) {
  size_t axes = 0;
  std::string source;
  const auto note = [&](size_t count, const std::string& what) {
    if (axes != 0 && count != axes) {
      ctx.Fail(what + " speaks of " + std::to_string(count) + " spatial axes, " + source + " of " +
               std::to_string(axes));
    }
    if (axes != 0) return;
    axes = count;
    source = what;
  };
  for (size_t i = 0; i < (filter ? 2 : 1); ++i) {
    const TensorDesc& desc = ctx.Desc(i);
    const Shape& shape = desc.origin_shape;
    if (desc.dtype == DT_UNDEFINED || !shape.HasRank()) continue;
    const std::string what = (i == 0 ? "the input " : "the filter ") + ToString(shape);
    if (shape.rank() < 3) ctx.Fail(what + " has rank " + std::to_string(shape.rank()) + ", wanted 3 or more");
    note(shape.rank() - 2, what);
  }
  for (const char* attr : {"kernel_shape", "strides", "dilations", "output_padding"}) {
    const size_t entries = ctx.Ints(attr).size();
    if (entries > 0) note(entries, std::string(attr) + " " + ToString(AttrValue(ctx.Ints(attr))));
  }
  if (const std::vector<int64_t> pads = ctx.Ints("pads"); !pads.empty()) {
    if (pads.size() % 2 != 0) ctx.Fail("pads has " + std::to_string(pads.size()) + " entries, an odd number");
    note(pads.size() / 2, "pads " + ToString(AttrValue(pads)));
  }
  return axes;
}

void CheckKernelShape(const NodeContext& ctx) {
  const std::vector<int64_t> kernel = ctx.Ints("kernel_shape");
  const TensorDesc& filter = ctx.Desc(1);
  if (kernel.empty() || filter.dtype == DT_UNDEFINED || !filter.origin_shape.HasRank()) return;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t dim = filter.origin_shape[i + 2];
    if (dim < 0 || dim == kernel[i]) continue;
    ctx.Fail("kernel_shape is " + ToString(AttrValue(kernel)) + ", the filter is " + ToString(filter.origin_shape));
  }
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
