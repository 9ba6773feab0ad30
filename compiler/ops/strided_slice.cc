// StridedSlice with its five masks, and Slice, which takes sizes.
#include <algorithm>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;
using Known = std::vector<std::optional<int64_t>>;

// What happens to one axis of x, or a new axis (axis -1).
struct Cut {
  int64_t axis = -1;
  bool shrink = false;
  bool whole = false;
  std::optional<int64_t> begin, end, step;
  bool from_start = false, to_end = false;
};

// One entry an axis that the result has or loses, in order. Empty string, or what does not fit.
template <typename Context>
std::string ReadCuts(const Context& ctx, int64_t rank, const Known& begin, const Known& end, const Known& step,
                     std::vector<Cut>* cuts) {
  const auto mask = [&](const char* name) { return ctx.template Attr<int64_t>(name); };
  const int64_t begins = mask("begin_mask"), ends = mask("end_mask"), ellipsis = mask("ellipsis_mask"),
                added = mask("new_axis_mask"), shrunk = mask("shrink_axis_mask");
  if (begin.size() != end.size() || begin.size() != step.size()) return "begin, end and strides differ in length";
  const auto bit = [](int64_t bits, size_t i) { return i < 63 && (bits >> i & 1) != 0; };
  int64_t named = 0;
  for (size_t i = 0; i < begin.size(); ++i) named += !bit(ellipsis, i) && !bit(added, i) ? 1 : 0;
  if (named > rank) return "it names " + std::to_string(named) + " axes, x has " + std::to_string(rank);
  int64_t axis = 0;
  bool seen = false;
  const auto take_whole = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Cut cut;
      cut.axis = axis++;
      cut.whole = true;
      cuts->push_back(cut);
    }
  };
  for (size_t i = 0; i < begin.size(); ++i) {
    if (bit(ellipsis, i)) {
      if (seen) return "ellipsis_mask has more than one bit";
      seen = true;
      take_whole(rank - named);
      continue;
    }
    Cut cut;
    if (bit(added, i)) {
      cuts->push_back(cut);
      continue;
    }
    cut.axis = axis++;
    cut.shrink = bit(shrunk, i);
    cut.begin = begin[i];
    cut.end = end[i];
    cut.step = step[i];
    cut.from_start = bit(begins, i) && !cut.shrink;
    cut.to_end = bit(ends, i) && !cut.shrink;
    if (cut.step && *cut.step == 0) return "a stride is 0";
    cuts->push_back(cut);
  }
  take_whole(rank - axis);
  return "";
}

struct Range {
  int64_t begin, step, count;
};

// The part of an axis of size `dim`; every number that it needs is known. False where a single index is out of range.
bool Resolve(const Cut& cut, int64_t dim, Range* range) {
  if (cut.whole) {
    *range = {0, 1, dim};
    return true;
  }
  if (cut.shrink) {
    const int64_t at = *cut.begin < 0 ? *cut.begin + dim : *cut.begin;
    *range = {at, 1, 1};
    return at >= 0 && at < dim;
  }
  const int64_t step = *cut.step, low = step > 0 ? 0 : -1, high = step > 0 ? dim : dim - 1;
  const auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + dim : at, low, std::max(low, high)); };
  const int64_t begin = cut.from_start ? (step > 0 ? low : high) : place(*cut.begin);
  const int64_t end = cut.to_end ? (step > 0 ? high : low) : place(*cut.end);
  const int64_t span = step > 0 ? end - begin : begin - end;
  const auto width = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  *range = {begin, step, span <= 0 ? 0 : 1 + static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / width)};
  return true;
}

bool IsKnown(const Cut& cut) {
  if (cut.whole) return true;
  if (cut.shrink) return cut.begin.has_value();
  return cut.step && (cut.from_start || cut.begin) && (cut.to_end || cut.end);
}

// The whole of an axis whose size need not be known.
bool TakesAll(const Cut& cut) {
  if (cut.whole) return true;
  return cut.step == 1 && (cut.from_start || cut.begin == 0) && (cut.to_end || (cut.end && *cut.end >= INT32_MAX));
}

void InferStridedSlice(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const auto begin = ctx.Ints(1), end = ctx.Ints(2), step = ctx.Ints(3);
  if (!x.HasRank() || !begin || !end || !step) {
    // The number of entries alone tells the rank.
    const Shape& entries = ctx.InShape(1);
    if (!x.HasRank() || !entries.HasRank() || entries.rank() != 1 || entries[0] < 0 || entries[0] > 63) {
      return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
    }
  }
  const size_t count = begin ? begin->elements.size() : static_cast<size_t>(ctx.InShape(1)[0]);
  const Known none(count);
  std::vector<Cut> cuts;
  const std::string fault = ReadCuts(ctx, static_cast<int64_t>(x.rank()), begin ? begin->elements : none,
                                     end ? end->elements : none, step ? step->elements : none, &cuts);
  if (!fault.empty()) ctx.Fail(fault);
  Shape shape;
  std::optional<Range> first;
  for (const Cut& cut : cuts) {
    if (cut.axis < 0) {
      shape.dims().push_back(1);
      continue;
    }
    const int64_t dim = x[static_cast<size_t>(cut.axis)];
    Range range{0, 1, kUnknownDim};
    if (dim >= 0 && IsKnown(cut)) {
      if (!Resolve(cut, dim, &range)) {
        ctx.Fail("index " + std::to_string(*cut.begin) + " is outside axis " + std::to_string(cut.axis) + " of x " +
                 ToString(x));
      }
      if (cut.axis == 0) first = range;
    } else if (TakesAll(cut)) {
      range.count = dim;
    }
    if (!cut.shrink) shape.dims().push_back(range.count);
  }
  if (x.rank() == 1 && first && cuts.size() == 1) {
    if (const auto ints = ctx.Ints(0)) {
      PartialInts part{shape, {}};
      for (int64_t i = 0; i < first->count; ++i) part.elements.push_back(ints->elements[first->begin + i * first->step]);
      ctx.SetInts(0, std::move(part));
    }
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

Known AllKnown(const Tensor& tensor) {
  Known known;
  for (const int64_t value : ToInts(tensor)) known.emplace_back(value);
  return known;
}

void StridedSliceKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  std::vector<Cut> cuts;
  const std::string fault = ReadCuts(ctx, static_cast<int64_t>(x.rank()), AllKnown(ctx.In(1)), AllKnown(ctx.In(2)),
                                     AllKnown(ctx.In(3)), &cuts);
  if (!fault.empty()) ctx.Fail(fault);
  const std::vector<int64_t> strides = x.shape().Strides();
  Region source;
  Shape shape;
  for (const Cut& cut : cuts) {
    if (cut.axis < 0) {
      shape.dims().push_back(1);
      source.strides.push_back(0);
      continue;
    }
    const auto axis = static_cast<size_t>(cut.axis);
    Range range{};
    if (!Resolve(cut, x.dim(axis), &range)) {
      ctx.Fail("index " + std::to_string(*cut.begin) + " is outside axis " + std::to_string(axis) + " of x " +
               ToString(x.shape()));
    }
    if (range.count > 0) source.offset += range.begin * strides[axis];
    if (cut.shrink) continue;
    shape.dims().push_back(range.count);
    // With one element the stride is not used, and may be too large to multiply.
    source.strides.push_back(range.count <= 1 ? 0 : strides[axis] * range.step);
  }
  MoveToOutput(ctx, 0, shape, x, source);
}

// ---- Slice: begins and sizes; the size -1 reaches to the end ----

void InferSlice(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const auto begin = ctx.Ints(1), size = ctx.Ints(2);
  if (!x.HasRank()) {
    const Shape& entries = ctx.InShape(1);
    const bool counted = entries.HasRank() && entries.rank() == 1 && entries[0] >= 0 && entries[0] < 64;
    return ctx.SetOut(0, ctx.InType(0), counted ? Shape::UnknownDims(entries[0]) : Shape::UnknownRank());
  }
  Shape shape = Shape::UnknownDims(x.rank());
  for (size_t d = 0; d < x.rank() && size && size->elements.size() == x.rank(); ++d) {
    if (!size->elements[d]) continue;
    shape[d] = *size->elements[d];
    if (shape[d] >= 0) continue;
    const bool known = begin && begin->elements.size() == x.rank() && begin->elements[d] && x[d] >= 0;
    shape[d] = known ? x[d] - *begin->elements[d] : kUnknownDim;
  }
  const auto ints = ctx.Ints(0);
  if (ints && x.rank() == 1 && shape.IsKnown() && begin && begin->elements.size() == 1 && begin->elements[0]) {
    const int64_t from = *begin->elements[0];
    if (from >= 0 && from + shape[0] <= static_cast<int64_t>(ints->elements.size())) {
      ctx.SetInts(0, {shape, {ints->elements.begin() + from, ints->elements.begin() + from + shape[0]}});
    }
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

void SliceKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  const Ints begin = ToInts(ctx.In(1)), size = ToInts(ctx.In(2));
  if (begin.size() != x.rank() || size.size() != x.rank()) {
    ctx.Fail("offsets and size have " + std::to_string(begin.size()) + " and " + std::to_string(size.size()) +
             " entries, x has rank " + std::to_string(x.rank()));
  }
  Region source{0, x.shape().Strides()};
  Shape shape = x.shape();
  for (size_t d = 0; d < x.rank(); ++d) {
    shape[d] = size[d] < 0 ? x.dim(d) - begin[d] : size[d];
    if (begin[d] < 0 || shape[d] < 0 || begin[d] > x.dim(d) - shape[d]) {
      ctx.Fail(std::to_string(size[d]) + " elements from " + std::to_string(begin[d]) + " on are wanted of axis " +
               std::to_string(d) + " of x " + ToString(x.shape()));
    }
    source.offset += begin[d] * source.strides[d];
  }
  MoveToOutput(ctx, 0, shape, x, source);
}

}  // namespace

void RegisterStridedSliceOps(OpRegistry& registry) {
  registry.Add(
      OpDef("Slice").In("x").In("offsets").In("size").Out("y").Traits(kHalfNative).Infer(InferSlice).Kernel(SliceKernel));
  registry.Add(OpDef("StridedSlice").In("x").In("begin").In("end").In("strides").Out("y").Attr("begin_mask", 0)
                   .Attr("end_mask", 0).Attr("ellipsis_mask", 0).Attr("new_axis_mask", 0).Attr("shrink_axis_mask", 0)
                   .Traits(kHalfNative).Infer(InferStridedSlice).Kernel(StridedSliceKernel));
}

}  // namespace atc
