// From the attributes and shapes of a transposed convolution to its window and output shape.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/ir/shape_limit.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/window.h"

namespace atc {

// Seen from the output: a window that slides over y and stands at each element of x once.
struct TransposeFit {
  int64_t batch, groups, in_channels, out_channels;
  std::vector<WindowAxis> axes;  // in: of y, out: of x
  Shape shape;                   // of y
};

inline bool IsAscendTranspose(const Node& node) { return node.def->FindAttr("groups") != nullptr; }

// Padding and size of y along one axis (ONNX, ConvTranspose): total = stride * (x - 1) + output_padding + extent - y;
// of a total that is computed the odd element goes to the end with SAME_UPPER, else to the beginning.
inline void FitTransposeAxis(WindowAxis& axis, int64_t output_padding, int64_t wanted, const std::string& auto_pad) {
  if (axis.out < 0 || axis.kernel < 0) {
    axis.in = wanted;
    return;
  }
  const int64_t full = axis.stride * (axis.out - 1) + output_padding + axis.extent();
  if (wanted < 0 && auto_pad.starts_with("SAME")) wanted = axis.out * axis.stride;
  if (wanted < 0) {
    if (auto_pad == "VALID") axis.pad_begin = axis.pad_end = 0;
    axis.in = full - axis.pad_begin - axis.pad_end;
    return;
  }
  const int64_t total = std::max<int64_t>(0, full - wanted);
  axis.pad_begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
  axis.in = wanted;
}

// `size`: the whole shape of y as an operand gives it, empty when it is absent or all zeros. The result is channels
// first.
template <typename Context>
TransposeFit FitTranspose(const Context& ctx, const Shape& data, const Shape& w, const std::vector<int64_t>& size) {
  using Ints = std::vector<int64_t>;
  const Node& node = ctx.node();
  const bool last = IsChannelsLast(node);
  const Shape x = ChannelsFirst(node, data);
  const Ints input_size = last ? ToChannelsFirst(Shape(size)).dims() : size;
  const bool ascend = IsAscendTranspose(node);
  if (x.rank() < 3 || x.rank() != w.rank()) {
    ctx.Fail("x " + ToString(x) + " and filter " + ToString(w) + " must have one rank, at least 3");
  }
  if (!KnownDataFormat(node)) ctx.Fail("data_format is " + node.Attr<std::string>("data_format"));
  const size_t spatial = x.rank() - 2;
  const auto auto_pad = node.Attr<std::string>("auto_pad");
  WindowSpec spec;
  spec.strides = SpatialPart(node.Attr<Ints>("strides"), spatial, last);
  spec.dilations = SpatialPart(node.Attr<Ints>("dilations"), spatial, last);
  Ints output_padding = node.Attr<Ints>("output_padding");
  output_padding = output_padding.empty() ? Ints(spatial, 0) : SpatialPart(output_padding, spatial, last);
  Ints wanted = node.Attr<Ints>("output_shape");
  if (wanted.size() == spatial + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  bool computed = !wanted.empty();
  if (wanted.empty()) wanted.assign(spatial, -1);
  if (input_size.size() == spatial + 2) wanted.assign(input_size.begin() + 2, input_size.end());
  if (!SplitPads(node.Attr<Ints>("pads"), spatial, ascend, &spec) || spec.strides.empty() || spec.dilations.empty() ||
      output_padding.size() != spatial || wanted.size() != spatial) {
    ctx.Fail("strides, dilations, pads, output_padding and output_shape must fit " + std::to_string(spatial) +
             " spatial axes");
  }
  TransposeFit fit;
  fit.batch = x[0];
  fit.in_channels = x[1] >= 0 ? x[1] : w[0];
  fit.groups = node.Attr<int64_t>(ascend ? "groups" : "group");
  if (fit.groups < 1 || fit.groups > kMaxElements || (x[1] >= 0 && w[0] >= 0 && x[1] != w[0]) ||
      (fit.in_channels >= 0 && fit.in_channels % fit.groups != 0)) {
    ctx.Fail("x " + ToString(x) + ", filter " + ToString(w) + " and " + std::to_string(fit.groups) +
             " groups do not fit: the channels of x must be the filter's first dim and divide into the groups");
  }
  fit.out_channels = w[1] >= 0 ? w[1] * fit.groups : kUnknownDim;
  fit.shape = Shape{fit.batch, fit.out_channels};
  for (size_t d = 0; d < spatial; ++d) {
    WindowAxis axis{kUnknownDim,       x[d + 2],           w[d + 2],        spec.strides[d],
                    spec.dilations[d], spec.pads_begin[d], spec.pads_end[d]};
    if (axis.stride < 1 || axis.dilation < 1 || axis.kernel == 0 || axis.pad_begin < 0 || axis.pad_end < 0 ||
        output_padding[d] < 0 || wanted[d] < -1 ||
        std::max({axis.stride, axis.dilation, axis.kernel, axis.pad_begin, axis.pad_end, output_padding[d]}) >
            INT32_MAX) {
      ctx.Fail("strides, dilations and the kernel must be at least 1, pads and output_padding at least 0");
    }
    if (input_size.empty() || computed || auto_pad.starts_with("SAME")) {
      FitTransposeAxis(axis, output_padding[d], wanted[d], auto_pad);
    } else {
      axis.in = wanted[d];  // the operand fixes the size, the pads stay as they are
    }
    if (axis.out >= 0 && axis.kernel >= 0 && axis.in < 0) {
      ctx.Fail("padding " + std::to_string(axis.pad_begin) + " and " + std::to_string(axis.pad_end) +
               " is larger than the whole output");
    }
    fit.axes.push_back(axis);
    fit.shape.dims().push_back(axis.in);
  }
  return fit;
}

inline std::vector<int64_t> SizeOrNothing(std::vector<int64_t> size) {
  const bool zeros = std::all_of(size.begin(), size.end(), [](int64_t v) { return v == 0; });
  return zeros ? std::vector<int64_t>{} : size;
}

}  // namespace atc
