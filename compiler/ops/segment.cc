// Reductions of rows by their segment: sorted, unsorted and sparse ones, and counting.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

enum class Reduce { kSum, kMean, kSqrtN, kMax, kMin, kProd };

// Rows of x start behind `skip` dims, those of the segment numbers.
Shape Rows(const Shape& x, size_t skip, int64_t segments) {
  Shape shape{segments};
  shape.dims().insert(shape.dims().end(), x.dims().begin() + static_cast<std::ptrdiff_t>(skip), x.dims().end());
  return shape;
}

// Starts with what an empty segment yields; negative numbers are left out.
template <Reduce kHow>
void ReduceRows(KernelContext& ctx, const std::vector<int64_t>& sources, const std::vector<int64_t>& ids, size_t skip,
                int64_t segments, bool lowest) {
  const Tensor& x = ctx.In(0);
  const Shape shape = Rows(x.shape(), skip, segments);
  Tensor& y = ctx.Out(0, x.dtype(), shape);
  const int64_t row = segments == 0 ? 0 : shape.NumElements() / segments;
  std::vector<int64_t> counts(static_cast<size_t>(segments), 0);
  Dispatch(NumberTypes{}, ctx, x.dtype(), [&]<typename T>() {
    // Sums are taken in double, integers in their own type.
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    const Sum first = kHow == Reduce::kProd                                          ? Sum{1}
                      : kHow == Reduce::kMax ? static_cast<Sum>(std::numeric_limits<T>::lowest())
                      : kHow == Reduce::kMin ? static_cast<Sum>(std::numeric_limits<T>::max())
                                             : Sum{0};
    std::vector<Sum> sums(static_cast<size_t>(segments * row), first);
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0) continue;
      if (ids[i] >= segments) ctx.Fail("segment " + std::to_string(ids[i]) + " of " + std::to_string(segments));
      ++counts[static_cast<size_t>(ids[i])];
      const T* from = x.Data<T>() + sources[i] * row;
      Sum* to = sums.data() + ids[i] * row;
      for (int64_t k = 0; k < row; ++k) {
        const Sum v = static_cast<Sum>(from[k]);
        if constexpr (kHow == Reduce::kMax) to[k] = std::max(to[k], v);
        else if constexpr (kHow == Reduce::kMin) to[k] = std::min(to[k], v);
        else if constexpr (kHow == Reduce::kProd) to[k] = static_cast<Sum>(to[k] * v);
        else to[k] = static_cast<Sum>(to[k] + v);
      }
    }
    for (int64_t s = 0; s < segments; ++s) {
      const int64_t count = counts[static_cast<size_t>(s)];
      for (int64_t k = 0; k < row; ++k) {
        Sum v = sums[static_cast<size_t>(s * row + k)];
        if (count == 0 && !lowest && kHow != Reduce::kSum) v = kHow == Reduce::kProd ? Sum{1} : Sum{0};
        if constexpr (kHow == Reduce::kMean) v = count == 0 ? Sum{0} : static_cast<Sum>(v / static_cast<Sum>(count));
        if constexpr (kHow == Reduce::kSqrtN) {
          v = count == 0 ? Sum{0} : static_cast<Sum>(v / static_cast<Sum>(std::sqrt(static_cast<double>(count))));
        }
        y.MutableData<T>()[s * row + k] = static_cast<T>(v);
      }
    }
  });
}

std::vector<int64_t> Count(size_t n) {
  std::vector<int64_t> numbers(n);
  for (size_t i = 0; i < n; ++i) numbers[i] = static_cast<int64_t>(i);
  return numbers;
}

int64_t Last(const std::vector<int64_t>& ids) { return ids.empty() ? 0 : ids.back() + 1; }

// ---- SegmentSum, ...: numbers rise ----

void InferSegment(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  int64_t segments = kUnknownDim;
  if (const auto ids = ctx.KnownInts(1)) segments = Last(*ids);
  ctx.SetOut(0, ctx.InType(0), x.HasRank() && x.rank() > 0 ? Rows(x, 1, segments) : Shape::UnknownRank());
}

template <Reduce kHow>
void SegmentKernel(KernelContext& ctx) {
  const std::vector<int64_t> ids = ToInts(ctx.In(1));
  if (ctx.In(0).rank() == 0 || ctx.In(0).dim(0) != static_cast<int64_t>(ids.size())) ctx.Fail("segment_ids do not fit x");
  ReduceRows<kHow>(ctx, Count(ids.size()), ids, 1, Last(ids), false);
}

// ---- UnsortedSegmentSum, ...: any order, any number of dims ----

void InferUnsorted(InferContext& ctx) {
  const Shape &x = ctx.InShape(0), &ids = ctx.InShape(1);
  const auto number = ctx.KnownInts(2);
  if (!x.HasRank() || !ids.HasRank() || ids.rank() > x.rank()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  ctx.SetOut(0, ctx.InType(0), Rows(x, ids.rank(), number && number->size() == 1 ? (*number)[0] : kUnknownDim));
}

template <Reduce kHow>
void UnsortedKernel(KernelContext& ctx) {
  const std::vector<int64_t> ids = ToInts(ctx.In(1));
  const int64_t segments = OneInt(ctx, 2, "num_segments");
  const Shape &x = ctx.InShape(0), &shape = ctx.InShape(1);
  bool fits = shape.rank() <= x.rank() && segments >= 0;
  for (size_t d = 0; fits && d < shape.rank(); ++d) fits = shape[d] == x[d];
  if (!fits) ctx.Fail("segment_ids " + ToString(shape) + " do not begin the shape of x " + ToString(x));
  ReduceRows<kHow>(ctx, Count(ids.size()), ids, shape.rank(), segments, true);
}

// ---- SparseSegmentSum, ...: of chosen rows ----

void InferSparse(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  int64_t segments = kUnknownDim;
  if (ctx.HasInput(3)) {
    const auto count = ctx.KnownInts(3);
    if (count && count->size() == 1) segments = (*count)[0];
  } else if (const auto ids = ctx.KnownInts(2)) {
    segments = Last(*ids);
  }
  ctx.SetOut(0, ctx.InType(0), x.HasRank() && x.rank() > 0 ? Rows(x, 1, segments) : Shape::UnknownRank());
}

template <Reduce kHow>
void SparseKernel(KernelContext& ctx) {
  const std::vector<int64_t> rows = ToInts(ctx.In(1)), ids = ToInts(ctx.In(2));
  if (ctx.In(0).rank() == 0 || rows.size() != ids.size()) ctx.Fail("indices and segment_ids must have one length");
  for (const int64_t row : rows) {
    if (row < 0 || row >= ctx.In(0).dim(0)) ctx.Fail("row " + std::to_string(row) + " is not in x " + ToString(ctx.InShape(0)));
  }
  ReduceRows<kHow>(ctx, rows, ids, 1, ctx.HasInput(3) ? OneInt(ctx, 3, "num_segments") : Last(ids), false);
}

// ---- Bincount ----

void InferBincount(InferContext& ctx) {
  const auto size = ctx.KnownInts(1);
  Shape shape{size && size->size() == 1 ? (*size)[0] : kUnknownDim};
  const Shape& x = ctx.InShape(0);
  const bool dense = ctx.node().def->FindAttr("binary_output") != nullptr;
  if (dense && !x.HasRank()) shape = Shape::UnknownRank();
  if (dense && x.HasRank() && x.rank() == 2) shape.dims().insert(shape.dims().begin(), x[0]);
  ctx.SetOut(0, ctx.InType(2), shape);
}

// Without weights each element counts 1. DenseBincount counts the rows of a matrix one by one.
void BincountKernel(KernelContext& ctx) {
  const bool dense = ctx.node().def->FindAttr("binary_output") != nullptr;
  const bool binary = dense && ctx.Attr<bool>("binary_output");
  const std::vector<int64_t> x = ToInts(ctx.In(0));
  const int64_t size = OneInt(ctx, 1, "size");
  if (size < 0) ctx.Fail("size is negative");
  const bool rows = dense && ctx.In(0).rank() == 2;
  const int64_t count = rows ? ctx.In(0).dim(0) : 1, length = count == 0 ? 0 : static_cast<int64_t>(x.size()) / count;
  Tensor& y = ctx.Out(0, ctx.InType(2), rows ? Shape{count, size} : Shape{size});
  const bool weighted = ctx.In(2).NumElements() > 0;
  if (weighted && ctx.In(2).NumElements() != static_cast<int64_t>(x.size())) ctx.Fail("weights do not fit");
  Dispatch(Types<float, double, int32_t, int64_t>{}, ctx, ctx.InType(2), [&]<typename T>() {
    std::fill_n(y.MutableData<T>(), y.NumElements(), T{0});
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] < 0) ctx.Fail("element " + std::to_string(x[i]) + " is negative");
      if (x[i] >= size) continue;
      T& bin = y.MutableData<T>()[static_cast<int64_t>(i) / std::max<int64_t>(length, 1) * (rows ? size : 0) + x[i]];
      bin = binary ? T{1} : static_cast<T>(bin + (weighted ? ctx.In(2).Data<T>()[i] : T{1}));
    }
  });
}

// Rank-2 values count each row by itself.
void InferSparseBincount(InferContext& ctx) {
  const auto dims = ctx.Ints(2);
  const auto size = ctx.KnownInts(3);
  Shape shape{size && size->size() == 1 ? (*size)[0] : kUnknownDim};
  if (!dims) shape = Shape::UnknownRank();
  if (dims && dims->elements.size() == 2) shape.dims().insert(shape.dims().begin(), dims->elements[0].value_or(kUnknownDim));
  ctx.SetOut(0, ctx.InType(4), shape);
}

void SparseBincountKernel(KernelContext& ctx) {
  const std::vector<int64_t> places = ToInts(ctx.In(0)), x = ToInts(ctx.In(1)), dims = ToInts(ctx.In(2));
  const int64_t size = OneInt(ctx, 3, "size");
  const bool binary = ctx.Attr<bool>("binary_output"), rows = dims.size() == 2;
  if (size < 0 || dims.empty() || dims.size() > 2 || places.size() != x.size() * dims.size()) {
    ctx.Fail("indices " + ToString(ctx.InShape(0)) + ", values " + ToString(ctx.InShape(1)) + " and a dense shape of " +
             std::to_string(dims.size()) + " dims do not fit");
  }
  const bool weighted = ctx.In(4).NumElements() > 0;
  if (weighted && ctx.In(4).NumElements() != static_cast<int64_t>(x.size())) ctx.Fail("weights do not fit");
  Tensor& y = ctx.Out(0, ctx.InType(4), rows ? Shape{dims[0], size} : Shape{size});
  Dispatch(Types<float, double, int32_t, int64_t>{}, ctx, ctx.InType(4), [&]<typename T>() {
    std::fill_n(y.MutableData<T>(), y.NumElements(), T{0});
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t row = rows ? places[2 * i] : 0;
      if (x[i] < 0 || row < 0 || (rows && row >= dims[0])) {
        ctx.Fail("value " + std::to_string(x[i]) + " in row " + std::to_string(row) + " cannot be counted");
      }
      if (x[i] >= size) continue;
      T& bin = y.MutableData<T>()[row * size + x[i]];
      bin = binary ? T{1} : static_cast<T>(bin + (weighted ? ctx.In(4).Data<T>()[i] : T{1}));
    }
  });
}

struct Row {
  const char* type;
  KernelFn kernel;
};

constexpr Row kSorted[] = {
    {"SegmentMax", SegmentKernel<Reduce::kMax>},   {"SegmentMean", SegmentKernel<Reduce::kMean>},
    {"SegmentMin", SegmentKernel<Reduce::kMin>},   {"SegmentProd", SegmentKernel<Reduce::kProd>},
    {"SegmentSum", SegmentKernel<Reduce::kSum>},
};
constexpr Row kUnsorted[] = {
    {"UnsortedSegmentMax", UnsortedKernel<Reduce::kMax>},
    {"UnsortedSegmentMin", UnsortedKernel<Reduce::kMin>},
    {"UnsortedSegmentProd", UnsortedKernel<Reduce::kProd>},
    {"UnsortedSegmentSum", UnsortedKernel<Reduce::kSum>},
};
constexpr Row kSparse[] = {
    {"SparseSegmentMean", SparseKernel<Reduce::kMean>},
    {"SparseSegmentSqrtN", SparseKernel<Reduce::kSqrtN>},
    {"SparseSegmentSum", SparseKernel<Reduce::kSum>},
};

}  // namespace

void RegisterSegmentOps(OpRegistry& registry) {
  for (const Row& op : kSorted) {
    registry.Add(OpDef(op.type).In("x").In("segment_ids").Out("y").Traits(kWidenHalf).Infer(InferSegment).Kernel(op.kernel));
  }
  for (const Row& op : kUnsorted) {
    registry.Add(OpDef(op.type).In("x").In("segment_ids").In("num_segments").Out("y").Traits(kWidenHalf)
                     .Infer(InferUnsorted).Kernel(op.kernel));
  }
  for (const Row& op : kSparse) {
    registry.Add(OpDef(op.type).In("x").In("indices").In("segment_ids").Out("y").Traits(kWidenHalf)
                     .Infer(InferSparse).Kernel(op.kernel));
    registry.Add(OpDef(Name(std::string("tf::") + op.type + "WithNumSegments"))
                     .In("data").In("indices").In("segment_ids").In("num_segments").Out("output").Traits(kWidenHalf)
                     .Infer(InferSparse).Kernel(op.kernel));
  }
  registry.Add(OpDef("Bincount").In("array").In("size").In("weights").Out("bins").Infer(InferBincount)
                   .Kernel(BincountKernel));
  registry.Add(OpDef("SparseBincount").In("indices").In("values").In("dense_shape").In("size").In("weights").Out("output")
                   .Attr("binary_output", false).Infer(InferSparseBincount).Kernel(SparseBincountKernel));
  registry.Add(OpDef("tf::DenseBincount").In("input").In("size").In("weights").Out("output")
                   .Attr("binary_output", false).Infer(InferBincount).Kernel(BincountKernel));
}

}  // namespace atc
