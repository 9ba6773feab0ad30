// Bitcast: the same bytes as elements of another type.
#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

DataType Target(const Node& node) { return node.Attr<DataType>("type"); }

// Elements of another width add a last axis (narrower) or take one away (wider), as the AscendIR operator says; ONNX's
// BitCast knows equal widths alone.
template <typename Context>
Shape CastShape(const Context& ctx, DataType from, DataType to, Shape shape) {
  if (DataTypeBits(from) == 0 || DataTypeBits(to) == 0 || from == DT_STRING || to == DT_STRING || from == DT_VARIANT ||
      to == DT_VARIANT) {
    ctx.Fail("elements of type " + std::string(DataTypeName(from)) + " cannot be read as " +
             std::string(DataTypeName(to)) + ": both must be of a fixed width");
  }
  const int have = DataTypeBits(from), want = DataTypeBits(to);
  if (have == want || !shape.HasRank()) return shape;
  if (have % 8 != 0 || want % 8 != 0) {
    ctx.Fail("types narrower than a byte can be read as types of the same width only");
  }
  if (have > want) {
    shape.dims().push_back(have / want);
    return shape;
  }
  const int64_t last = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  if (shape.rank() == 0 || (last != kUnknownDim && last != want / have)) {
    ctx.Fail("the last dim of " + ToString(shape) + " must be " + std::to_string(want / have) + " to make " +
             std::string(DataTypeName(to)) + " of " + std::string(DataTypeName(from)));
  }
  shape.dims().pop_back();
  return shape;
}

void InferBitcast(InferContext& ctx) {
  const DataType to = Target(ctx.node());
  if (ctx.InType(0) == DT_UNDEFINED) return ctx.SetOut(0, to, Shape::UnknownRank());
  ctx.SetOut(0, to, CastShape(ctx, ctx.InType(0), to, ctx.InShape(0)));
}

void BitcastKernel(KernelContext& ctx) {
  const DataType to = Target(ctx.node());
  const Tensor& x = ctx.In(0);
  ctx.SetOut(0, Tensor(to, CastShape(ctx, x.dtype(), to, x.shape()), x.buffer()));
}

}  // namespace

void RegisterBitCastOps(OpRegistry& registry) {
  registry.Add(OpDef("Bitcast")
                   .In("x")
                   .Out("y")
                   .RequiredAttr("type")
                   .Attr("keep_dim", false)
                   .Traits(kHalfNative)
                   .Infer(InferBitcast)
                   .Kernel(BitcastKernel));
}

}  // namespace atc
