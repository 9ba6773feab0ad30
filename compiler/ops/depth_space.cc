// Moving blocks of pixels between the channel axis and the plane.
#include <array>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

struct BlockSpec {
  int64_t block;
  bool channels_last;
  bool depth_first;  // the block's two dims come before the channels in the channel axis (DCR), else behind (CRD)
};

template <typename Context>
BlockSpec ReadSpec(const Context& ctx) {
  BlockSpec spec{ctx.template Attr<int64_t>("block_size"), false, true};
  const std::string& format = ctx.template Attr<std::string>("data_format");
  if (format != "NCHW" && format != "NHWC")
    ctx.Fail("attribute data_format is '" + format + "', it must be NCHW or NHWC");
  spec.channels_last = format == "NHWC";
  if (ctx.node().def->FindAttr("mode")) {
    const std::string& mode = ctx.template Attr<std::string>("mode");
    if (mode != "DCR" && mode != "CRD") ctx.Fail("attribute mode is '" + mode + "', it must be DCR or CRD");
    spec.depth_first = mode == "DCR";
  }
  if (spec.block < 1 || spec.block > 1 << 15) {
    ctx.Fail("attribute block_size is " + std::to_string(spec.block) + ", it must be at least 1");
  }
  return spec;
}

// The result of moving blocks to the plane (or back); fails when the dims do not divide.
template <bool kToSpace, typename Context>
Shape MovedShape(const Context& ctx, const BlockSpec& spec, Shape x) {
  if (!x.HasRank()) return Shape::UnknownDims(4);
  if (x.rank() != 4) ctx.Fail("input " + ToString(x) + " must have rank 4");
  const size_t c = spec.channels_last ? 3 : 1, h = spec.channels_last ? 1 : 2;
  for (const size_t d : {h, h + 1}) {
    if (x[d] == kUnknownDim) continue;
    if (!kToSpace && x[d] % spec.block != 0) {
      ctx.Fail("dim " + std::to_string(d) + " of " + ToString(x) + " is no multiple of block " +
               std::to_string(spec.block));
    }
    x[d] = kToSpace ? x[d] * spec.block : x[d] / spec.block;
  }
  const int64_t area = spec.block * spec.block;
  if (x[c] != kUnknownDim) {
    if (kToSpace && x[c] % area != 0) {
      ctx.Fail("dim " + std::to_string(c) + " of " + ToString(x) + " is no multiple of " + std::to_string(area) +
               ", the square of the block");
    }
    x[c] = kToSpace ? x[c] / area : x[c] * area;
  }
  return x;
}

template <bool kToSpace>
void InferMove(InferContext& ctx) {
  ctx.SetOut(0, ctx.InType(0), MovedShape<kToSpace>(ctx, ReadSpec(ctx), ctx.InShape(0)));
}

using Six = std::array<int64_t, 6>;

// Output dim i is dim perm[i] of the input seen as `dims`.
void CopyPermuted(KernelContext& ctx, Tensor& out, const Six& dims, const Six& perm) {
  const std::vector<int64_t> strides = Shape(std::vector<int64_t>(dims.begin(), dims.end())).Strides();
  Shape moved = Shape::UnknownDims(6);
  Region source{0, std::vector<int64_t>(6)};
  for (size_t d = 0; d < 6; ++d) {
    moved[d] = dims[static_cast<size_t>(perm[d])];
    source.strides[d] = strides[static_cast<size_t>(perm[d])];
  }
  MoveRegion(ctx, moved, ctx.In(0), source, &out, {0, moved.Strides()});
}

void DepthToSpaceKernel(KernelContext& ctx) {
  const BlockSpec spec = ReadSpec(ctx);
  const Shape& x = ctx.InShape(0);
  Tensor& out = ctx.Out(0, ctx.InType(0), MovedShape<true>(ctx, spec, x));
  const int64_t b = spec.block, area = b * b;
  if (spec.channels_last) {
    const int64_t c = x[3] / area;
    if (spec.depth_first) return CopyPermuted(ctx, out, {x[0], x[1], x[2], b, b, c}, {0, 1, 3, 2, 4, 5});
    return CopyPermuted(ctx, out, {x[0], x[1], x[2], c, b, b}, {0, 1, 4, 2, 5, 3});
  }
  const int64_t c = x[1] / area;
  if (spec.depth_first) return CopyPermuted(ctx, out, {x[0], b, b, c, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
  CopyPermuted(ctx, out, {x[0], c, b, b, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
}

// The inverse of the depth-first form.
void SpaceToDepthKernel(KernelContext& ctx) {
  const BlockSpec spec = ReadSpec(ctx);
  const Shape& x = ctx.InShape(0);
  Tensor& out = ctx.Out(0, ctx.InType(0), MovedShape<false>(ctx, spec, x));
  const int64_t b = spec.block;
  if (spec.channels_last) {
    return CopyPermuted(ctx, out, {x[0], x[1] / b, b, x[2] / b, b, x[3]}, {0, 1, 3, 2, 4, 5});
  }
  CopyPermuted(ctx, out, {x[0], x[1], x[2] / b, b, x[3] / b, b}, {0, 3, 5, 1, 2, 4});
}

}  // namespace

void RegisterDepthSpaceOps(OpRegistry& registry) {
  registry.Add(OpDef("DepthToSpace")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("block_size")
                   .Attr("mode", "DCR")
                   .Attr("data_format", "NHWC")
                   .Traits(kHalfNative)
                   .Infer(InferMove<true>)
                   .Kernel(DepthToSpaceKernel));
  registry.Add(OpDef("SpaceToDepth")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("block_size")
                   .Attr("data_format", "NHWC")
                   .Traits(kHalfNative)
                   .Infer(InferMove<false>)
                   .Kernel(SpaceToDepthKernel));
}

}  // namespace atc
