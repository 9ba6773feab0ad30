// StridedSliceV2: x[begin:end:stride] along some axes, with numpy's rules for negative and over-range numbers.
#include <algorithm>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;
using Known = std::vector<std::optional<int64_t>>;

struct Cut {
  int64_t begin = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// One axis of size `dim`; step is not 0.
Cut CutAxis(int64_t dim, int64_t begin, int64_t end, int64_t step) {
  const auto clamp = [&](int64_t at, int64_t low, int64_t high) {
    if (at < 0) at += dim;
    return std::clamp(at, low, std::max(low, high));
  };
  Cut cut;
  cut.step = step;
  if (step > 0) {
    cut.begin = clamp(begin, 0, dim);
    const int64_t span = clamp(end, 0, dim) - cut.begin;
    cut.count = span <= 0 ? 0 : 1 + (span - 1) / step;
  } else {
    cut.begin = clamp(begin, -1, dim - 1);
    // step may be the smallest integer: it is not negated.
    const int64_t span = cut.begin - clamp(end, -1, dim - 1);
    cut.count =
        span <= 0 ? 0 : 1 + static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / (0 - static_cast<uint64_t>(step)));
  }
  return cut;
}

// The numbers of one axis as far as they are known; mask bits stand for "from the start" and "to the end".
struct Entry {
  std::optional<int64_t> begin, end, step;
};

constexpr int64_t kFar = INT64_MAX;

// Entries by axis; an axis that is not named is taken whole. Empty string, or what does not fit.
template <typename Context>
std::string Entries(const Context& ctx, size_t rank, const Known& begin, const Known& end, const Known* axes,
                    const Known* steps, std::vector<Entry>* entries, bool* axes_known) {
  const int64_t begin_mask = ctx.template Attr<int64_t>("begin_mask");
  const int64_t end_mask = ctx.template Attr<int64_t>("end_mask");
  entries->assign(rank, {0, kFar, 1});
  *axes_known = true;
  if (begin.size() != end.size() || (axes && axes->size() != begin.size()) ||
      (steps && steps->size() != begin.size())) {
    return "begin, end, axes and strides differ in length";
  }
  if (!axes && begin.size() > rank) return "begin has more numbers than x has axes";
  for (size_t i = 0; i < begin.size(); ++i) {
    if (axes && !(*axes)[i]) {
      *axes_known = false;
      return "";
    }
    const auto n = static_cast<int64_t>(rank);
    int64_t axis = axes ? *(*axes)[i] : static_cast<int64_t>(i);
    if (axis < -n || axis >= n) return "axis " + std::to_string(axis) + " is outside of rank " + std::to_string(rank);
    if (axis < 0) axis += n;
    Entry entry{begin[i], end[i], steps ? (*steps)[i] : std::optional<int64_t>(1)};
    if (entry.step && *entry.step == 0) return "a stride is 0";
    const bool backwards = entry.step && *entry.step < 0;
    if (i < 63 && (begin_mask >> i & 1)) entry.begin = backwards ? kFar : 0;
    if (i < 63 && (end_mask >> i & 1)) entry.end = backwards ? INT64_MIN : kFar;
    (*entries)[axis] = entry;
  }
  return "";
}

template <typename Context>
void RefuseMasks(const Context& ctx) {
  for (const char* mask : {"ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    if (ctx.template Attr<int64_t>(mask) != 0) ctx.Fail(std::string(mask) + " is not supported here");
  }
}

void InferSlice(InferContext& ctx) {
  RefuseMasks(ctx);
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  const auto begin = ctx.Ints(1), end = ctx.Ints(2);
  const auto axes = ctx.HasInput(3) ? ctx.Ints(3) : std::nullopt;
  const auto steps = ctx.HasInput(4) ? ctx.Ints(4) : std::nullopt;
  const bool listed = begin && end && (axes || !ctx.HasInput(3)) && (steps || !ctx.HasInput(4));
  Shape shape = Shape::UnknownDims(x.rank());
  std::vector<Entry> entries;
  bool axes_known = false;
  if (listed) {
    const std::string fault = Entries(ctx, x.rank(), begin->elements, end->elements, axes ? &axes->elements : nullptr,
                                      steps ? &steps->elements : nullptr, &entries, &axes_known);
    if (!fault.empty()) ctx.Fail(fault);
  }
  if (!axes_known) return ctx.SetOut(0, ctx.InType(0), std::move(shape));
  std::optional<Cut> first;
  for (size_t i = 0; i < x.rank(); ++i) {
    const Entry& entry = entries[i];
    const bool whole = entry.begin == 0 && entry.end && *entry.end >= INT32_MAX && entry.step == 1;
    if (whole) {
      shape[i] = x[i];
    } else if (x[i] >= 0 && entry.begin && entry.end && entry.step) {
      const Cut cut = CutAxis(x[i], *entry.begin, *entry.end, *entry.step);
      shape[i] = cut.count;
      if (i == 0) first = cut;
    }
  }
  if (x.rank() == 1 && shape.IsKnown()) {
    const auto ints = ctx.Ints(0);
    if (ints && !first) first = Cut{0, 1, shape[0]};
    if (ints) {
      PartialInts cut_ints{shape, {}};
      for (int64_t i = 0; i < first->count; ++i)
        cut_ints.elements.push_back(ints->elements[first->begin + i * first->step]);
      ctx.SetInts(0, std::move(cut_ints));
    }
  }
  ctx.SetOut(0, ctx.InType(0), std::move(shape));
}

Known AllKnown(const Tensor& tensor) {
  Known known;
  for (const int64_t value : ToInts(tensor)) known.emplace_back(value);
  return known;
}

void SliceKernel(KernelContext& ctx) {
  RefuseMasks(ctx);
  const Tensor& x = ctx.In(0);
  Known axes, steps;
  if (ctx.HasInput(3)) axes = AllKnown(ctx.In(3));
  if (ctx.HasInput(4)) steps = AllKnown(ctx.In(4));
  std::vector<Entry> entries;
  bool axes_known = false;
  const std::string fault =
      Entries(ctx, x.rank(), AllKnown(ctx.In(1)), AllKnown(ctx.In(2)), ctx.HasInput(3) ? &axes : nullptr,
              ctx.HasInput(4) ? &steps : nullptr, &entries, &axes_known);
  if (!fault.empty()) ctx.Fail(fault);
  Region source{0, x.shape().Strides()};
  Shape shape = x.shape();
  for (size_t i = 0; i < x.rank(); ++i) {
    const Cut cut = CutAxis(x.dim(i), *entries[i].begin, *entries[i].end, *entries[i].step);
    shape[i] = cut.count;
    if (cut.count == 0) continue;
    source.offset += cut.begin * source.strides[i];
    // With one element the stride is not used, and may be too large to multiply.
    source.strides[i] = cut.count == 1 ? 0 : source.strides[i] * cut.step;
  }
  MoveToOutput(ctx, 0, shape, x, source);
}

}  // namespace

void RegisterSliceOps(OpRegistry& registry) {
  registry.Add(OpDef("StridedSliceV2")
                   .In("x")
                   .In("begin")
                   .In("end")
                   .OptIn("axes")
                   .OptIn("strides")
                   .Out("y")
                   .Attr("begin_mask", 0)
                   .Attr("end_mask", 0)
                   .Attr("ellipsis_mask", 0)
                   .Attr("new_axis_mask", 0)
                   .Attr("shrink_axis_mask", 0)
                   .Traits(kHalfNative)
                   .Infer(InferSlice)
                   .Kernel(SliceKernel));
}

}  // namespace atc
