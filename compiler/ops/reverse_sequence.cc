// Reversing the first seq_lengths[b] steps of each batch entry.
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

void InferReverseSequence(InferContext& ctx) {
  InferSameAsInput(ctx);
  RequireIntegers(ctx, 1);
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return;
  const int64_t time = NormalizeAxis(ctx, ctx.Attr<int64_t>("seq_dim"), x.rank());
  const int64_t batch = NormalizeAxis(ctx, ctx.Attr<int64_t>("batch_dim"), x.rank());
  if (time == batch) ctx.Fail("seq_dim and batch_dim are both " + std::to_string(time) + ", they must differ");
  RequireElements(ctx, 1, x[batch]);
  if (x[time] >= 0) RequireIndices(ctx, 1, x[time] + 1, false);  // a length may be the whole axis
}

void ReverseSequenceKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  const int64_t time = CheckedAxis(ctx, ctx.Attr<int64_t>("seq_dim"), shape);
  const int64_t batch = CheckedAxis(ctx, ctx.Attr<int64_t>("batch_dim"), shape);
  if (time == batch) ctx.Fail("seq_dim and batch_dim are both " + std::to_string(time) + ", they must differ");
  if (!IsInteger(ctx.InType(1)) || ctx.In(1).NumElements() != shape[batch]) {
    ctx.Fail("seq_lengths must hold one integer for each of the " + std::to_string(shape[batch]) + " batch entries");
  }
  const std::vector<int64_t> lengths = ToInts(ctx.In(1));
  for (const int64_t length : lengths) {
    if (length < 0 || length > shape[time]) {
      ctx.Fail("sequence length " + std::to_string(length) + " is outside [0, " + std::to_string(shape[time]) + "]");
    }
  }
  Tensor& out = ctx.Out(0, ctx.InType(0), shape);
  const std::vector<int64_t> strides = shape.Strides();
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t i = 0, n = out.NumElements(); i < n; ++i) {
      const int64_t step = i / strides[time] % shape[time];
      const int64_t length = lengths[i / strides[batch] % shape[batch]];
      const int64_t from = step < length ? length - 1 - step : step;
      out.MutableData<T>()[i] = ctx.In(0).Data<T>()[i + (from - step) * strides[time]];
    }
  });
}

}  // namespace

void RegisterReverseSequenceOps(OpRegistry& registry) {
  registry.Add(OpDef("ReverseSequence").In("x").In("seq_lengths").Out("y").RequiredAttr("seq_dim").Attr("batch_dim", 0)
                   .Traits(kHalfNative).Infer(InferReverseSequence).Kernel(ReverseSequenceKernel));
}

}  // namespace atc
