#include "parsers/tensorflow/data_format.h"

#include <cstring>

#include "parsers/tensor_data.h"

namespace atc::tf_parser {
namespace {

using Ints = std::vector<int64_t>;

Shape PermutedShape(const Shape& shape, const Ints& perm) {
  Shape out;
  for (const int64_t axis : perm) out.dims().push_back(shape[static_cast<size_t>(axis)]);
  return out;
}

Tensor PermuteTensor(const Tensor& x, const Ints& perm) {
  const Shape shape = PermutedShape(x.shape(), perm);
  Tensor out = Tensor::Allocate(x.dtype(), shape);
  const size_t width = static_cast<size_t>(DataTypeBits(x.dtype())) / 8;
  const std::vector<int64_t> strides = x.shape().Strides();
  Ints at(perm.size(), 0);
  int64_t from = 0;
  for (int64_t i = 0; i < out.NumElements(); ++i) {
    std::memcpy(out.MutableData() + i * width, x.Data() + from * width, width);
    for (size_t d = perm.size(); d-- > 0;) {
      const int64_t step = strides[static_cast<size_t>(perm[d])];
      from += step;
      if (++at[d] < shape[d]) break;
      from -= step * shape[d];
      at[d] = 0;
    }
  }
  return out;
}

}  // namespace

std::string DataFormat(const NodeContext& ctx, size_t spatial) {
  const std::string last = spatial == 3 ? "NDHWC" : "NHWC", first = spatial == 3 ? "NCDHW" : "NCHW";
  const std::string format = ctx.String("data_format", last);
  if (format != last && format != first) {
    ctx.Fail("attribute data_format is '" + format + "', it must be " + last + " or " + first);
  }
  return format;
}

ValueId Permuted(NodeContext& ctx, ValueId x, const Ints& perm, std::string_view suffix) {
  const Tensor* constant = ctx.graph().Constant(x);
  if (constant != nullptr && constant->rank() == perm.size() && DataTypeBits(constant->dtype()) % 8 == 0) {
    return ctx.Const(SmallOrDeferred(constant->dtype(), PermutedShape(constant->shape(), perm),
                                     [source = *constant, perm] { return PermuteTensor(source.Materialized(), perm); }),
                     suffix);
  }
  const ValueId order = ctx.ConstInts(perm, std::string(suffix) + "_perm");
  return ctx.Emit("Transpose", {x, order}, 1, suffix).outputs[0];
}

Ints FilterPerm(size_t spatial) {
  Ints perm = {static_cast<int64_t>(spatial) + 1, static_cast<int64_t>(spatial)};
  for (size_t d = 0; d < spatial; ++d) perm.push_back(static_cast<int64_t>(d));
  return perm;
}

ValueId AlongChannels(NodeContext& ctx, ValueId x, const std::string& format, std::string_view suffix) {
  if (ChannelsLast(format)) return x;
  Ints shape(format.size() - 1, 1);
  shape[0] = -1;
  if (const Tensor* constant = ctx.graph().Constant(x); constant && constant->rank() == 1) {
    shape[0] = constant->NumElements();
    return ctx.Const(constant->Reshaped(Shape(shape)), suffix);
  }
  const ValueId target = ctx.ConstInts(shape, std::string(suffix) + "_shape");
  return ctx.Emit("Reshape", {x, target}, 1, suffix).outputs[0];
}

Ints ExplicitPads(const NodeContext& ctx, const std::string& format) {
  const size_t spatial = format.size() - 2;
  Ints pads(2 * spatial, 0);
  // _FusedConv3D has its own name for what was a Pad before it.
  const bool of_pad = ctx.Has("padding_list") && !ctx.Ints("padding_list").empty();
  if (ctx.String("padding") != "EXPLICIT" && !of_pad) return pads;
  const Ints all = ctx.Ints(of_pad ? "padding_list" : "explicit_paddings");
  if (all.size() != 2 * format.size()) {
    ctx.Fail("explicit_paddings has " + std::to_string(all.size()) + " entries, wanted " +
             std::to_string(2 * format.size()));
  }
  const size_t begin = ChannelsLast(format) ? 2 : 4;
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), 2 * spatial, pads.begin());
  return pads;
}

void SetWindow(const NodeContext& ctx, Node& node, const std::string& format, const char* dilations) {
  const std::string padding = ctx.String("padding");
  if (padding != "SAME" && padding != "VALID" && padding != "EXPLICIT") {
    ctx.Fail("attribute padding is '" + padding + "', it must be SAME, VALID or EXPLICIT");
  }
  node.attrs.Set("data_format", format);
  for (const char* list : {"strides", "dilations"}) {
    Ints values = ctx.Ints(list);
    if (values.empty()) values.assign(format.size(), 1);
    if (values.size() != format.size()) {
      ctx.Fail(std::string(list) + " has " + std::to_string(values.size()) + " entries, wanted " +
               std::to_string(format.size()));
    }
    if (list == std::string_view("strides") || dilations != nullptr) {
      node.attrs.Set(list == std::string_view("strides") ? list : dilations, values);
    }
  }
  node.attrs.Set("pads", ExplicitPads(ctx, format));
  if (padding == "SAME") node.attrs.Set("auto_pad", "SAME_UPPER");
}

}  // namespace atc::tf_parser
