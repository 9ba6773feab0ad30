#include "compiler/ops/operand_shape.h"

namespace atc {
namespace {

[[noreturn]] void Fail(const InferContext& ctx, size_t i, const std::string& wanted) {
  ctx.Fail("operand " + ctx.node().def->InputName(i) + " has shape " + ToString(ctx.InShape(i)) + ", wanted " + wanted);
}

}  // namespace

void RequireOperandShape(const InferContext& ctx, size_t i, const Shape& wanted) {
  if (!ctx.HasInput(i) || !ctx.InShape(i).HasRank() || !wanted.HasRank()) return;
  const Shape& found = ctx.InShape(i);
  bool fits = found.rank() == wanted.rank();
  for (size_t d = 0; fits && d < found.rank(); ++d) fits = found[d] < 0 || wanted[d] < 0 || found[d] == wanted[d];
  if (!fits) Fail(ctx, i, ToString(wanted));
}

void RequireElements(const InferContext& ctx, size_t i, int64_t wanted) {
  if (!ctx.HasInput(i) || !ctx.InShape(i).IsKnown() || wanted < 0) return;
  if (ctx.InShape(i).NumElements() != wanted) Fail(ctx, i, std::to_string(wanted) + " elements");
}

void RequireRank(const InferContext& ctx, size_t i, size_t least, size_t most) {
  if (!ctx.HasInput(i) || !ctx.InShape(i).HasRank()) return;
  const size_t rank = ctx.InShape(i).rank();
  if (rank >= least && rank <= most) return;
  Fail(ctx, i, "rank " + std::to_string(least) + (most == least ? "" : " to " + std::to_string(most)));
}

void RequireBroadcastTo(const InferContext& ctx, size_t i, const Shape& wanted) {
  if (!ctx.HasInput(i) || !ctx.InShape(i).HasRank() || !wanted.HasRank()) return;
  const Shape& found = ctx.InShape(i);
  bool fits = found.rank() <= wanted.rank();
  for (size_t d = 0; fits && d < found.rank(); ++d) {
    const int64_t to = wanted[d + wanted.rank() - found.rank()];
    fits = found[d] < 0 || found[d] == 1 || to < 0 || found[d] == to;
  }
  if (!fits) Fail(ctx, i, "one that broadcasts to " + ToString(wanted));
}

void RequireIntegers(const InferContext& ctx, size_t i) {
  if (!ctx.HasInput(i) || IsInteger(ctx.InType(i))) return;
  ctx.Fail("operand " + ctx.node().def->InputName(i) + " is " + std::string(DataTypeName(ctx.InType(i))) +
           ", wanted integers");
}

std::optional<int64_t> KnownScalar(const InferContext& ctx, size_t i) {
  if (!ctx.HasInput(i)) return {};
  RequireElements(ctx, i, 1);
  const auto values = ctx.KnownInts(i);
  return values && values->size() == 1 ? std::optional((*values)[0]) : std::nullopt;
}

void RequireIndices(const InferContext& ctx, size_t i, int64_t size, bool negative) {
  const Tensor* indices = ctx.Constant(i);
  if (indices == nullptr || size < 0 || !IsInteger(indices->dtype())) return;
  const int64_t least = negative ? -size : 0;
  for (const int64_t index : ToInts(*indices)) {
    if (index >= least && index < size) continue;
    ctx.Fail("operand " + ctx.node().def->InputName(i) + " holds the index " + std::to_string(index) +
             ", which is outside [" + std::to_string(least) + ", " + std::to_string(size) + ")");
  }
}

}  // namespace atc
