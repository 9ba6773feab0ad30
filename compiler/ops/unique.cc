// Distinct elements, or distinct slices along an axis.
#include <algorithm>
#include <numeric>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/index_type.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

using UniqueTypes = Types<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool,
                          std::string>;

// Items in the order of the result.
struct Groups {
  std::vector<int64_t> first;    // where each distinct item occurs first
  std::vector<int64_t> counts;   // how often
  std::vector<int64_t> inverse;  // of each input item: which distinct one it is
};

// NaN sorts behind every number and equals itself, so that the order is total.
template <typename T>
int Compare(const T& a, const T& b) {
  if (a < b) return -1;
  if (b < a) return 1;
  if constexpr (std::is_floating_point_v<T>) return (a != a) - (b != b);
  return 0;
}

// `items` items seen as slices of the loop's outer x inner elements.
template <typename T>
Groups Group(const T* x, const AxisLoop& loop, bool sorted) {
  const auto compare = [&](int64_t a, int64_t b) {
    for (int64_t o = 0; o < loop.outer; ++o) {
      for (int64_t i = 0; i < loop.inner; ++i) {
        if (const int order = Compare(x[loop.Offset(o, a, i)], x[loop.Offset(o, b, i)])) return order;
      }
    }
    return 0;
  };
  std::vector<int64_t> order(loop.length);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return compare(a, b) < 0; });
  Groups groups;
  groups.inverse.resize(loop.length);
  for (size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || compare(order[k - 1], order[k]) != 0) {
      groups.first.push_back(order[k]);  // the sort is stable
      groups.counts.push_back(0);
    }
    ++groups.counts.back();
    groups.inverse[order[k]] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  if (sorted) return groups;
  std::vector<int64_t> by_first(groups.first.size());
  std::iota(by_first.begin(), by_first.end(), 0);
  std::sort(by_first.begin(), by_first.end(), [&](int64_t a, int64_t b) { return groups.first[a] < groups.first[b]; });
  Groups result;
  std::vector<int64_t> place(by_first.size());
  for (size_t k = 0; k < by_first.size(); ++k) {
    result.first.push_back(groups.first[by_first[k]]);
    result.counts.push_back(groups.counts[by_first[k]]);
    place[by_first[k]] = static_cast<int64_t>(k);
  }
  for (const int64_t group : groups.inverse) result.inverse.push_back(place[group]);
  return result;
}

void PutIndices(KernelContext& ctx, size_t output, DataType dtype, const std::vector<int64_t>& values) {
  if (!ctx.WantsOutput(output)) return;
  Tensor& out = ctx.Out(output, dtype, {static_cast<int64_t>(values.size())});
  if (dtype == DT_INT32) {
    std::copy(values.begin(), values.end(), out.MutableData<int32_t>());
  } else {
    std::copy(values.begin(), values.end(), out.MutableData<int64_t>());
  }
}

// Writes output 0 and returns the groups. Without an axis the input counts as flat.
Groups Unique(KernelContext& ctx, const int64_t* axis_attr, bool sorted) {
  Shape shape = axis_attr ? ctx.InShape(0) : Shape{ctx.In(0).NumElements()};
  const int64_t axis = axis_attr ? CheckedAxis(ctx, *axis_attr, shape) : 0;
  const AxisLoop from(shape, axis);
  Groups groups;
  Dispatch(UniqueTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    const T* x = ctx.In(0).Data<T>();
    groups = Group(x, from, sorted);
    shape[axis] = static_cast<int64_t>(groups.first.size());
    T* y = ctx.Out(0, ctx.InType(0), shape).template MutableData<T>();
    for (int64_t o = 0; o < from.outer; ++o) {
      for (const int64_t k : groups.first) y = std::copy_n(x + from.Offset(o, k, 0), from.inner, y);
    }
  });
  return groups;
}

void OnnxUniqueKernel(KernelContext& ctx) {
  const Groups groups =
      Unique(ctx, ctx.node().attrs.FindAs<int64_t>("axis"), ctx.Attr<int64_t>("sorted") != 0);
  PutIndices(ctx, 1, DT_INT64, groups.first);
  PutIndices(ctx, 2, DT_INT64, groups.inverse);
  PutIndices(ctx, 3, DT_INT64, groups.counts);
}

// Without the attribute `sorted`: in the order of the first occurrences.
void UniqueWithCountsKernel(KernelContext& ctx) {
  const bool sorted = ctx.node().def->FindAttr("sorted") != nullptr && ctx.Attr<bool>("sorted");
  const Groups groups = Unique(ctx, nullptr, sorted);
  PutIndices(ctx, 1, CheckedIndexType(ctx, ctx.Attr<DataType>("out_idx")), groups.inverse);
  PutIndices(ctx, 2, CheckedIndexType(ctx, ctx.Attr<DataType>("out_idx")), groups.counts);
}

void InferOnnxUnique(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  int64_t items = shape.NumElements();
  if (const auto* axis = ctx.node().attrs.FindAs<int64_t>("axis")) {
    items = kUnknownDim;
    if (shape.HasRank()) {
      const int64_t at = NormalizeAxis(ctx, *axis, shape.rank());
      items = shape[at];
      shape[at] = kUnknownDim;
    }
  } else {
    if (!ctx.InShape(0).IsKnown()) items = kUnknownDim;
    shape = Shape{kUnknownDim};
  }
  ctx.SetOut(0, ctx.InType(0), shape);
  ctx.SetOut(1, DT_INT64, Shape{kUnknownDim});
  ctx.SetOut(2, DT_INT64, Shape{items});
  ctx.SetOut(3, DT_INT64, Shape{kUnknownDim});
}

void InferUniqueWithCounts(InferContext& ctx) {
  const DataType dtype = CheckedIndexType(ctx, ctx.Attr<DataType>("out_idx"));
  ctx.SetOut(0, ctx.InType(0), Shape{kUnknownDim});
  ctx.SetOut(1, dtype, Shape{ctx.InShape(0).IsKnown() ? ctx.InShape(0).NumElements() : kUnknownDim});
  ctx.SetOut(2, dtype, Shape{kUnknownDim});
}

// ---- ListDiff: the elements of x that y has not, and where they lie ----

void InferListDiff(InferContext& ctx) {
  ctx.SetOut(0, ctx.InType(0), Shape{kUnknownDim});
  ctx.SetOut(1, CheckedIndexType(ctx, ctx.Attr<DataType>("out_idx")), Shape{kUnknownDim});
}

void ListDiffKernel(KernelContext& ctx) {
  if (ctx.InType(1) != ctx.InType(0)) ctx.Fail("x and y must have one element type");
  std::vector<int64_t> kept;
  Dispatch(UniqueTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    const T* x = ctx.In(0).Data<T>();
    std::vector<T> without(ctx.In(1).Data<T>(), ctx.In(1).Data<T>() + ctx.In(1).NumElements());
    const auto less = [](const T& a, const T& b) { return Compare(a, b) < 0; };
    std::sort(without.begin(), without.end(), less);
    for (int64_t i = 0; i < ctx.In(0).NumElements(); ++i) {
      if (!std::binary_search(without.begin(), without.end(), static_cast<T>(x[i]), less)) kept.push_back(i);
    }
    T* y = ctx.Out(0, ctx.InType(0), {static_cast<int64_t>(kept.size())}).template MutableData<T>();
    for (const int64_t i : kept) *y++ = x[i];
  });
  PutIndices(ctx, 1, CheckedIndexType(ctx, ctx.Attr<DataType>("out_idx")), kept);
}

}  // namespace

void RegisterUniqueOps(OpRegistry& registry) {
  registry.Add(OpDef("ListDiff").In("x").In("y").Out("out").Out("idx").Attr("out_idx", DT_INT32).Traits(kWidenHalf)
                   .Infer(InferListDiff).Kernel(ListDiffKernel));
  registry.Add(OpDef("Unique").In("x").Out("y").Out("idx").Attr("out_idx", DT_INT32).Traits(kWidenHalf)
                   .Infer(InferUniqueWithCounts).Kernel(UniqueWithCountsKernel));
  registry.Add(OpDef("UniqueWithCounts").In("x").Out("y").Out("idx").Out("count").Attr("out_idx", DT_INT32)
                   .Traits(kWidenHalf).Infer(InferUniqueWithCounts).Kernel(UniqueWithCountsKernel));
  registry.Add(OpDef("UniqueWithCountsAndSorting").In("x").Out("y").Out("indices").Out("counts")
                   .Attr("return_inverse", false).Attr("return_counts", false).Attr("sorted", true)
                   .Attr("out_idx", DT_INT64).Traits(kWidenHalf).Infer(InferUniqueWithCounts)
                   .Kernel(UniqueWithCountsKernel));
  registry.Add(OpDef("onnx::Unique").In("X").Out("Y").OptOut("indices").OptOut("inverse_indices").OptOut("counts")
                   .Attr("sorted", 1).Attr("opset", 0).Traits(kWidenHalf).Infer(InferOnnxUnique)
                   .Kernel(OnnxUniqueKernel));
}

}  // namespace atc
