#include "compiler/ops/pool_spec.h"

#include "compiler/ops/data_format.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// The attribute under the first of `names` that the operator declares.
template <typename T>
T AttrUnder(const Node& node, std::initializer_list<const char*> names, T fallback) {
  for (const char* name : names) {
    if (node.def->FindAttr(name)) return node.Attr<T>(name);
  }
  return fallback;
}

// Declared as a bool by some operators, as an int by others.
bool Flag(const Node& node, const char* name) {
  const AttrDef* declared = node.def->FindAttr(name);
  if (declared == nullptr) return false;
  return std::holds_alternative<bool>(declared->fallback) ? node.Attr<bool>(name) : node.Attr<int64_t>(name) != 0;
}

}  // namespace

PoolFit FitPool(const Node& node, const Shape& data) {
  const Shape x = ChannelsFirst(node, data);
  PoolFit fit;
  const auto fail = [&](std::string why) {
    fit.fault = std::move(why);
    return fit;
  };
  if (x.rank() < 3) return fail("x " + ToString(x) + " has no spatial axis, wanted a rank of at least 3");
  if (!KnownDataFormat(node)) return fail("data_format is " + node.Attr<std::string>("data_format"));
  const bool last = IsChannelsLast(node);
  const size_t spatial = x.rank() - 2;
  const bool ascend = node.def->FindAttr("ksize") != nullptr;
  const Ints in(x.dims().begin() + 2, x.dims().end());
  WindowSpec spec;
  const Ints kernel = AttrUnder<Ints>(node, {"ksize", "kernel_shape"}, {});
  const Ints pads = AttrUnder<Ints>(node, {"pads"}, {});
  if (Flag(node, "global_pooling")) {
    spec.kernel = in;
    for (int64_t& size : spec.kernel) size = size == 0 ? 1 : size;
  } else {
    if (kernel.empty()) return fail("the kernel size is missing");
    spec.kernel = SpatialPart(kernel, spatial, last);
    // Elsewhere -1 is a kernel that is not known yet; here it is given.
    for (const int64_t size : spec.kernel) {
      if (size < 1) return fail("kernel size " + std::to_string(size) + ", wanted at least 1");
    }
  }
  spec.strides = SpatialPart(AttrUnder<Ints>(node, {"strides"}, {}), spatial, last);
  spec.dilations = SpatialPart(AttrUnder<Ints>(node, {"dilation", "dilations"}, {}), spatial, last);
  spec.auto_pad = AttrUnder<std::string>(node, {"padding_mode", "padding", "auto_pad"}, "NOTSET");
  spec.ceil_mode = Flag(node, "ceil_mode");
  if (!SplitPads(pads, spatial, ascend, &spec)) {
    return fail("pads has " + std::to_string(pads.size()) + " entries, wanted " + std::to_string(2 * spatial));
  }
  if (std::string why = ResolveWindow(spec, in, &fit.axes); !why.empty()) return fail(why);
  fit.planes = x[0] < 0 || x[1] < 0 ? kUnknownDim : x[0] * x[1];
  fit.shape = Shape{x[0], x[1]};
  for (const WindowAxis& axis : fit.axes) fit.shape.dims().push_back(axis.out);
  if (last) fit.shape = ToChannelsLast(fit.shape);
  return fit;
}

Shape GlobalPoolShape(const Shape& x) {
  Shape shape = x;
  for (size_t d = 2; shape.HasRank() && d < shape.rank(); ++d) shape[d] = 1;
  return shape;
}

void InferGlobalPool(InferContext& ctx) { ctx.SetOut(0, ctx.InType(0), GlobalPoolShape(ctx.InShape(0))); }

}  // namespace atc
