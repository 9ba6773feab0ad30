#include "compiler/ops/conv_spec.h"

#include "compiler/ir/shape_limit.h"
#include "compiler/ops/data_format.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

std::string CheckChannels(ConvSizes& sizes, const Shape& w) {
  if (sizes.groups < 1 || sizes.groups > kMaxElements) {
    return "groups is " + std::to_string(sizes.groups) + ", wanted at least 1 and no more than there are channels";
  }
  if (sizes.in_channels < 0 && w[1] >= 0) sizes.in_channels = w[1] * sizes.groups;
  if (sizes.in_channels >= 0 && w[1] >= 0 && sizes.in_channels != w[1] * sizes.groups) {
    return "x has " + std::to_string(sizes.in_channels) + " channels, the filter " + ToString(w) + " with " +
           std::to_string(sizes.groups) + " groups wants " + std::to_string(w[1] * sizes.groups);
  }
  if (sizes.out_channels >= 0 && sizes.out_channels % sizes.groups != 0) {
    return std::to_string(sizes.out_channels) + " output channels do not divide into " + std::to_string(sizes.groups) +
           " groups";
  }
  return "";
}

}  // namespace

ConvOutput FitConv(const Node& node, const Shape& data, const Shape& w) {
  const Shape x = ChannelsFirst(node, data);
  ConvOutput result;
  const bool ascend = node.def->FindAttr("groups") != nullptr;
  const auto fail = [&](std::string why) {
    result.fault = std::move(why);
    return result;
  };
  if (x.rank() < 3 || x.rank() != w.rank()) {
    return fail("x " + ToString(x) + " and filter " + ToString(w) + " must have one rank, at least 3");
  }
  if (!KnownDataFormat(node)) return fail("data_format is " + node.Attr<std::string>("data_format"));
  const bool last = IsChannelsLast(node);
  const size_t spatial = x.rank() - 2;
  WindowSpec spec;
  spec.kernel.assign(w.dims().begin() + 2, w.dims().end());
  if (!ascend) {
    const Ints declared = node.Attr<Ints>("kernel_shape");
    if (!declared.empty() && declared.size() != spatial) {
      return fail("kernel_shape has " + std::to_string(declared.size()) + " entries, wanted " +
                  std::to_string(spatial));
    }
    for (size_t d = 0; d < declared.size(); ++d) {
      if (spec.kernel[d] < 0) spec.kernel[d] = declared[d];
      if (spec.kernel[d] != declared[d]) {
        return fail("kernel_shape " + ToString(Shape(declared)) + " differs from the filter's " + ToString(w));
      }
    }
  }
  spec.strides = SpatialPart(node.Attr<Ints>("strides"), spatial, last);
  spec.dilations = SpatialPart(node.Attr<Ints>("dilations"), spatial, last);
  spec.auto_pad = node.Attr<std::string>("auto_pad");
  const Ints pads = node.Attr<Ints>("pads");
  if (!SplitPads(pads, spatial, ascend, &spec)) {
    return fail("pads has " + std::to_string(pads.size()) + " entries, wanted " + std::to_string(2 * spatial));
  }
  ConvSizes& sizes = result.sizes;
  sizes.batch = x[0];
  sizes.groups = node.Attr<int64_t>(ascend ? "groups" : "group");
  sizes.in_channels = x[1];
  sizes.out_channels = w[0];
  if (std::string why = CheckChannels(sizes, w); !why.empty()) return fail(why);
  const std::vector<int64_t> in(x.dims().begin() + 2, x.dims().end());
  if (std::string why = ResolveWindow(spec, in, &sizes.axes); !why.empty()) return fail(why);
  result.shape = Shape{sizes.batch, sizes.out_channels};
  for (const WindowAxis& axis : sizes.axes) result.shape.dims().push_back(axis.out);
  if (last) result.shape = ToChannelsLast(result.shape);
  return result;
}

}  // namespace atc
