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

void RequireIndices(const InferContext& ctx, size_t i, int64_t size) {
  const Tensor* indices = ctx.Constant(i);
  if (indices == nullptr || size < 0 || !IsInteger(indices->dtype())) return;
  for (const int64_t index : ToInts(*indices)) {
    if (index >= -size && index < size) continue;
    ctx.Fail("operand " + ctx.node().def->InputName(i) + " holds the index " + std::to_string(index) +
             ", which is outside [" + std::to_string(-size) + ", " + std::to_string(size) + ")");
  }
}

}  // namespace atc
