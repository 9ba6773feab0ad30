// Operators with an attribute data_format: NCHW and NCDHW, or NHWC and NDHWC. Geometry and reference kernels work channels
// first; data with channels last are turned on the way in and out.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/graph.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/movement.h"

namespace atc {

inline bool IsChannelsLast(const Node& node) {
  if (node.def->FindAttr("data_format") == nullptr) return false;
  const std::string format = node.Attr<std::string>("data_format");
  return format == "NHWC" || format == "NDHWC";
}

// Whether data_format, if there is one, names a layout.
inline bool KnownDataFormat(const Node& node) {
  if (node.def->FindAttr("data_format") == nullptr) return true;
  const std::string format = node.Attr<std::string>("data_format");
  return format == "NCHW" || format == "NCDHW" || format == "NHWC" || format == "NDHWC";
}

// [N, spatial..., C] as [N, C, spatial...]; also for lists with one entry a dim.
inline Shape ToChannelsFirst(const Shape& shape) {
  if (!shape.HasRank() || shape.rank() < 3) return shape;
  Shape out{shape[0], shape[shape.rank() - 1]};
  out.dims().insert(out.dims().end(), shape.dims().begin() + 1, shape.dims().end() - 1);
  return out;
}

inline Shape ToChannelsLast(const Shape& shape) {
  if (!shape.HasRank() || shape.rank() < 3) return shape;
  Shape out{shape[0]};
  out.dims().insert(out.dims().end(), shape.dims().begin() + 2, shape.dims().end());
  out.dims().push_back(shape[1]);
  return out;
}

// The node's view of `shape` channels first.
inline Shape ChannelsFirst(const Node& node, const Shape& shape) {
  return IsChannelsLast(node) ? ToChannelsFirst(shape) : shape;
}

// The format of a result of this rank.
inline Format DataFormatOf(const Node& node, size_t rank) {
  const bool last = IsChannelsLast(node);
  return rank == 4 ? (last ? FORMAT_NHWC : FORMAT_NCHW) : rank == 5 ? (last ? FORMAT_NDHWC : FORMAT_NCDHW) : FORMAT_ND;
}

// Input i channels first: itself, or a copy.
inline Tensor ChannelsFirstInput(const KernelContext& ctx, size_t i) {
  const Tensor& x = ctx.In(i);
  if (!IsChannelsLast(ctx.node()) || x.rank() < 3) return x;
  Tensor turned = Tensor::Allocate(x.dtype(), ToChannelsFirst(x.shape()));
  Region source{0, ToChannelsFirst(Shape(x.shape().Strides())).dims()};
  MoveRegion(ctx, turned.shape(), x, source, &turned, {0, turned.shape().Strides()});
  return turned;
}

// Output 0 of a shape that is channels first, for the kernel to fill and then hand to FinishChannelsFirst.
inline Tensor ChannelsFirstOutput(KernelContext& ctx, DataType dtype, const Shape& shape) {
  return IsChannelsLast(ctx.node()) ? Tensor::Allocate(dtype, shape) : ctx.Out(0, dtype, shape);
}

inline void FinishChannelsFirst(KernelContext& ctx, const Tensor& y) {
  if (!IsChannelsLast(ctx.node())) return;
  MoveToOutput(ctx, 0, ToChannelsLast(y.shape()), y, {0, ToChannelsLast(Shape(y.shape().Strides())).dims()});
}

}  // namespace atc
