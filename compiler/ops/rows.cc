// Rows of tensors: changed in place, dealt out to partitions and stitched together again; and searching sorted rows.
#include <algorithm>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/index_type.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/integer.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

Shape Tail(const Shape& shape, size_t from, int64_t first) {
  std::vector<int64_t> dims = {first};
  dims.insert(dims.end(), shape.dims().begin() + static_cast<std::ptrdiff_t>(from), shape.dims().end());
  return Shape(std::move(dims));
}

// ---- InplaceUpdate, InplaceAdd, InplaceSub: x with the rows `indices` replaced or changed; x itself stays ----

enum class Change { kUpdate, kAdd, kSub };

template <Change kHow>
void InplaceKernel(KernelContext& ctx) {
  const Tensor &x = ctx.In(0), &v = ctx.In(2);
  const std::vector<int64_t> indices = ToInts(ctx.In(1));
  const int64_t rows = x.rank() == 0 ? 0 : x.dim(0), count = static_cast<int64_t>(indices.size());
  const int64_t length = rows == 0 ? 0 : x.NumElements() / rows;
  if (x.rank() == 0 || v.dtype() != x.dtype() || v.NumElements() != count * length) {
    ctx.Fail("v " + ToString(v.shape()) + " does not fit " + std::to_string(count) + " rows of x " + ToString(x.shape()));
  }
  for (const int64_t i : indices) {
    if (i < 0 || i >= rows) ctx.Fail("row " + std::to_string(i) + " is not in x " + ToString(x.shape()));
  }
  Tensor& y = ctx.Out(0, x.dtype(), x.shape());
  Dispatch(NumberAndBoolTypes{}, ctx, x.dtype(), [&]<typename T>() {
    std::copy_n(x.Data<T>(), x.NumElements(), y.MutableData<T>());
    for (int64_t k = 0; k < count; ++k) {
      const T* from = v.Data<T>() + k * length;
      T* to = y.MutableData<T>() + indices[k] * length;
      for (int64_t i = 0; i < length; ++i) {
        if constexpr (kHow == Change::kUpdate || std::is_same_v<T, bool>) to[i] = from[i];
        else if constexpr (std::is_integral_v<T>) to[i] = kHow == Change::kAdd ? integer::Add(to[i], from[i]) : integer::Sub(to[i], from[i]);
        else to[i] = kHow == Change::kAdd ? to[i] + from[i] : to[i] - from[i];
      }
    }
  });
}

// ---- DynamicPartition: row i goes to output partitions[i] ----

void InferPartition(InferContext& ctx) {
  const Shape &x = ctx.InShape(0), &p = ctx.InShape(1);
  const bool known = x.HasRank() && p.HasRank() && p.rank() <= x.rank();
  for (size_t i = 0; i < ctx.num_outputs(); ++i) {
    ctx.SetOut(i, ctx.InType(0), known ? Tail(x, p.rank(), kUnknownDim) : Shape::UnknownRank());
  }
}

void PartitionKernel(KernelContext& ctx) {
  const Shape &x = ctx.InShape(0), &p = ctx.InShape(1);
  const std::vector<int64_t> to = ToInts(ctx.In(1));
  const auto parts = static_cast<int64_t>(ctx.num_outputs());
  if (p.rank() > x.rank() || !std::equal(p.dims().begin(), p.dims().end(), x.dims().begin())) {
    ctx.Fail("partitions " + ToString(p) + " do not begin the shape of x " + ToString(x));
  }
  std::vector<std::vector<int64_t>> rows(ctx.num_outputs());
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] < 0 || to[i] >= parts) ctx.Fail("partition " + std::to_string(to[i]) + " is not one of " + std::to_string(parts));
    rows[static_cast<size_t>(to[i])].push_back(static_cast<int64_t>(i));
  }
  const int64_t length = to.empty() ? 0 : ctx.In(0).NumElements() / static_cast<int64_t>(to.size());
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    for (size_t k = 0; k < rows.size(); ++k) {
      T* y = ctx.Out(k, ctx.InType(0), Tail(x, p.rank(), static_cast<int64_t>(rows[k].size()))).template MutableData<T>();
      for (const int64_t row : rows[k]) y = std::copy_n(ctx.In(0).Data<T>() + row * length, length, y);
    }
  });
}

// ---- DynamicStitch: n tensors of row numbers, then n of rows; a later one wins, and rows that nobody gives are 0 ----

void InferStitch(InferContext& ctx) {
  const size_t n = ctx.num_inputs() / 2;
  if (n == 0 || ctx.num_inputs() % 2 != 0) ctx.Fail("it needs as many tensors of row numbers as of rows");
  const Shape &numbers = ctx.InShape(0), &rows = ctx.InShape(n);
  int64_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto known = ctx.KnownInts(i);
    if (!known) {
      count = kUnknownDim;
      break;
    }
    for (const int64_t row : *known) {
      if (row < 0 || row >= int64_t{1} << 31) ctx.Fail("row number " + std::to_string(row) + " is out of range");
      count = std::max(count, row + 1);
    }
  }
  const bool known = numbers.HasRank() && rows.HasRank() && numbers.rank() <= rows.rank();
  ctx.SetOut(0, ctx.InType(n), known ? Tail(rows, numbers.rank(), count) : Shape::UnknownRank());
}

void StitchKernel(KernelContext& ctx) {
  const size_t n = ctx.num_inputs() / 2;
  if (n == 0 || ctx.num_inputs() % 2 != 0) ctx.Fail("it needs as many tensors of row numbers as of rows");
  if (ctx.InShape(0).rank() > ctx.InShape(n).rank()) ctx.Fail("rows " + ToString(ctx.InShape(n)) + " do not fit their numbers");
  const Shape row = Tail(ctx.InShape(n), ctx.InShape(0).rank(), 1);
  const int64_t length = row.NumElements();
  std::vector<std::vector<int64_t>> numbers(n);
  int64_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    numbers[i] = ToInts(ctx.In(i));
    if (ctx.In(n + i).NumElements() != static_cast<int64_t>(numbers[i].size()) * length || ctx.InType(n + i) != ctx.InType(n)) {
      ctx.Fail("rows " + ToString(ctx.InShape(n + i)) + " do not fit " + std::to_string(numbers[i].size()) + " numbers");
    }
    for (const int64_t number : numbers[i]) {
      if (number < 0 || number >= int64_t{1} << 31) ctx.Fail("row number " + std::to_string(number) + " is out of range");
      count = std::max(count, number + 1);
    }
  }
  Tensor& y = ctx.Out(0, ctx.InType(n), Tail(row, 1, count));
  DispatchMovable(ctx, ctx.InType(n), [&]<typename T>() {
    std::fill_n(y.MutableData<T>(), y.NumElements(), T{});
    for (size_t i = 0; i < n; ++i) {
      const T* from = ctx.In(n + i).Data<T>();
      for (const int64_t number : numbers[i]) {
        std::copy_n(from, length, y.MutableData<T>() + number * length);
        from += length;
      }
    }
  });
}

// ---- LowerBound, UpperBound: where each value would be put into its sorted row ----

void InferBound(InferContext& ctx) {
  ctx.SetOut(0, CheckedIndexType(ctx, ctx.Attr<DataType>("out_type")), ctx.InShape(1));
}

template <bool kUpper>
void BoundKernel(KernelContext& ctx) {
  const Shape &sorted = ctx.InShape(0), &values = ctx.InShape(1);
  if (sorted.rank() != 2 || values.rank() != 2 || sorted[0] != values[0] || ctx.InType(0) != ctx.InType(1)) {
    ctx.Fail("values " + ToString(values) + " and sorted rows " + ToString(sorted) + " must be matrices of as many rows");
  }
  const DataType dtype = CheckedIndexType(ctx, ctx.Attr<DataType>("out_type"));
  Tensor& y = ctx.Out(0, dtype, values);
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t i = 0; i < y.NumElements(); ++i) {
      const T* row = ctx.In(0).Data<T>() + i / values[1] * sorted[1];
      const T value = ctx.In(1).Data<T>()[i];
      const T* end = row + sorted[1];
      const auto place = (kUpper ? std::upper_bound(row, end, value) : std::lower_bound(row, end, value)) - row;
      if (dtype == DT_INT64) y.MutableData<int64_t>()[i] = place;
      else y.MutableData<int32_t>()[i] = static_cast<int32_t>(place);
    }
  });
}

// ---- Bucketize: which of the intervals between boundaries, which ascend, each value is in; `right`: a boundary belongs to
// the interval behind it ----

void InferBucketize(InferContext& ctx) {
  ctx.SetOut(0, CheckedIndexType(ctx, ctx.Attr<DataType>("dtype")), ctx.InShape(0));
}

void BucketizeKernel(KernelContext& ctx) {
  const auto bounds = ctx.Attr<std::vector<float>>("boundaries");
  if (!std::is_sorted(bounds.begin(), bounds.end())) ctx.Fail("boundaries do not ascend");
  const bool right = ctx.Attr<bool>("right");
  const DataType dtype = CheckedIndexType(ctx, ctx.Attr<DataType>("dtype"));
  Tensor& y = ctx.Out(0, dtype, ctx.InShape(0));
  const std::vector<double> values = ToDoubles(ctx.In(0));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto place = (right ? std::upper_bound(bounds.begin(), bounds.end(), values[i])
                              : std::lower_bound(bounds.begin(), bounds.end(), values[i])) - bounds.begin();
    if (dtype == DT_INT64) y.MutableData<int64_t>()[i] = place;
    else y.MutableData<int32_t>()[i] = static_cast<int32_t>(place);
  }
}

// ---- Cross: the product of vectors in space, along `dim`: the first axis of 3 elements when it is not given ----

void CrossKernel(KernelContext& ctx) {
  const Shape& shape = ctx.InShape(0);
  const int64_t dim = ctx.Attr<int64_t>("dim");
  int64_t axis = dim == -65530 ? -1 : dim;  // AscendIR's word for "not given"
  for (size_t d = 0; dim == -65530 && axis < 0 && d < shape.rank(); ++d) {
    if (shape[d] == 3) axis = static_cast<int64_t>(d);
  }
  const AxisLoop loop(shape, CheckedAxis(ctx, axis, shape));
  if (loop.length != 3 || ctx.InShape(1) != shape || ctx.InType(1) != ctx.InType(0)) {
    ctx.Fail("x1 " + ToString(shape) + " and x2 " + ToString(ctx.InShape(1)) + " must have one shape with 3 elements along the axis");
  }
  Tensor& y = ctx.Out(0, ctx.InType(0), shape);
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    const T *a = ctx.In(0).Data<T>(), *b = ctx.In(1).Data<T>();
    for (int64_t n = 0; n < loop.outer * loop.inner; ++n) {
      for (int64_t k = 0; k < 3; ++k) {
        const int64_t p = loop.Offset(n / loop.inner, (k + 1) % 3, n % loop.inner), q = loop.Offset(n / loop.inner, (k + 2) % 3, n % loop.inner);
        T& to = y.MutableData<T>()[loop.Offset(n / loop.inner, k, n % loop.inner)];
        if constexpr (std::is_integral_v<T>) to = integer::Sub(integer::Mul(a[p], b[q]), integer::Mul(a[q], b[p]));
        else to = a[p] * b[q] - a[q] * b[p];
      }
    }
  });
}

}  // namespace

void RegisterRowsOps(OpRegistry& registry) {
  const auto inplace = [](const char* type) {
    return OpDef(type).In("x").In("indices").In("v").Out("y").Traits(kWidenHalf).Infer(InferSameAsInput);
  };
  registry.Add(inplace("InplaceAdd").Kernel(InplaceKernel<Change::kAdd>));
  registry.Add(inplace("InplaceSub").Kernel(InplaceKernel<Change::kSub>));
  registry.Add(inplace("InplaceUpdate").Kernel(InplaceKernel<Change::kUpdate>));
  const auto bound = [](const char* type) {
    return OpDef(type).In("sorted_x").In("values").Out("y").Attr("out_type", DT_INT32).Traits(kWidenHalf).Infer(InferBound);
  };
  registry.Add(bound("LowerBound").Kernel(BoundKernel<false>));
  registry.Add(bound("UpperBound").Kernel(BoundKernel<true>));
  registry.Add(OpDef("Bucketize").In("x").Out("y").Attr("boundaries", std::vector<float>{}).Attr("dtype", DT_INT32)
                   .Attr("right", true).Infer(InferBucketize).Kernel(BucketizeKernel));
  registry.Add(OpDef("Cross").In("x1").In("x2").Out("y").Attr("dim", -65530).Traits(kWidenHalf).Infer(InferSameAsInput)
                   .Kernel(CrossKernel));
  registry.Add(OpDef("DynamicPartition").In("x").In("partitions").DynOut("y").Attr("num_partitions", 1).Traits(kHalfNative)
                   .Infer(InferPartition).Kernel(PartitionKernel));
  registry.Add(OpDef("tf::DynamicStitch").DynIn("input").Out("merged").Attr("N", 1).Traits(kHalfNative).Infer(InferStitch)
                   .Kernel(StitchKernel));
}

}  // namespace atc
