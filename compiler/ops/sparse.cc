// Sparse tensors as TensorFlow has them: indices [n, rank], values [n] and a dense shape.
#include "compiler/ir/infer_context.h"
#include "compiler/ops/families.h"
#include "compiler/ops/movement.h"
#include "compiler/ops/reshape.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

int64_t Dim(const Shape& shape, size_t d) { return shape.HasRank() && shape.rank() > d ? shape[d] : kUnknownDim; }

void InferReshape(InferContext& ctx) {
  ctx.SetOut(0, DT_INT64, {Dim(ctx.InShape(0), 0), Dim(ctx.InShape(2), 0)});
  ctx.SetOut(1, DT_INT64, {Dim(ctx.InShape(2), 0)});
}

void ReshapeKernel(KernelContext& ctx) {
  const Ints places = ToInts(ctx.In(0)), shape = ToInts(ctx.In(1)), wanted = ToInts(ctx.In(2));
  if (ctx.In(0).rank() != 2 || ctx.In(0).dim(1) != static_cast<int64_t>(shape.size())) {
    ctx.Fail("indices " + ToString(ctx.InShape(0)) + " do not fit a shape of " + std::to_string(shape.size()) + " dims");
  }
  Shape target;
  const std::vector<std::optional<int64_t>> entries(wanted.begin(), wanted.end());
  const std::string fault = ResolveReshape(Shape(shape), entries, true, &target);
  if (!fault.empty()) ctx.Fail(fault);
  const Ints from = Shape(shape).Strides(), to = target.Strides();
  const int64_t count = ctx.In(0).dim(0);
  Tensor& out = ctx.Out(0, DT_INT64, {count, static_cast<int64_t>(target.rank())});
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) at += places[static_cast<size_t>(i) * shape.size() + d] * from[d];
    for (size_t d = 0; d < target.rank(); ++d) {
      out.MutableData<int64_t>()[i * static_cast<int64_t>(target.rank()) + static_cast<int64_t>(d)] =
          to[d] == 0 ? 0 : at / to[d];
      at = to[d] == 0 ? 0 : at % to[d];
    }
  }
  ctx.SetOut(1, Tensor::Ints(target.dims()));
}

void InferFill(InferContext& ctx) {
  const auto shape = ctx.Ints(2);
  const int64_t rows = shape && !shape->elements.empty() && shape->elements[0] ? *shape->elements[0] : kUnknownDim;
  ctx.SetOut(0, DT_INT64, {kUnknownDim, Dim(ctx.InShape(0), 1)});
  ctx.SetOut(1, ctx.InType(1), {kUnknownDim});
  ctx.SetOut(2, DT_BOOL, {rows});
  ctx.SetOut(3, DT_INT64, {Dim(ctx.InShape(0), 0)});
}

// Rows in order, each with its entries as they came; a row without entries gets one of the default at its first place.
void FillKernel(KernelContext& ctx) {
  const Tensor& indices = ctx.In(0);
  const Ints places = ToInts(indices), shape = ToInts(ctx.In(2));
  if (indices.rank() != 2 || shape.empty() || indices.dim(1) != static_cast<int64_t>(shape.size()) ||
      ctx.In(1).NumElements() != indices.dim(0) || ctx.In(3).NumElements() != 1) {
    ctx.Fail("indices, values, dense_shape and default_value do not fit each other");
  }
  const int64_t rank = indices.dim(1), count = indices.dim(0), rows = shape[0];
  if (rows < 0 || rows > int64_t{1} << 32) ctx.Fail("dense_shape has " + std::to_string(rows) + " rows");
  std::vector<Ints> of_row(static_cast<size_t>(rows));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = places[static_cast<size_t>(i * rank)];
    if (row < 0 || row >= rows) ctx.Fail("row " + std::to_string(row) + " of " + std::to_string(rows));
    of_row[static_cast<size_t>(row)].push_back(i);
  }
  Ints order;  // which entry comes next, -1: the default
  Ints reverse(static_cast<size_t>(count), 0), out_places;
  Tensor& empty = ctx.Out(2, DT_BOOL, {rows});
  for (int64_t row = 0; row < rows; ++row) {
    const Ints& entries = of_row[static_cast<size_t>(row)];
    empty.MutableData<bool>()[row] = entries.empty();
    for (const int64_t i : entries) {
      reverse[static_cast<size_t>(i)] = static_cast<int64_t>(order.size());
      order.push_back(i);
      out_places.insert(out_places.end(), places.begin() + i * rank, places.begin() + (i + 1) * rank);
    }
    if (!entries.empty()) continue;
    order.push_back(-1);
    out_places.push_back(row);
    out_places.insert(out_places.end(), static_cast<size_t>(rank - 1), 0);
  }
  const auto total = static_cast<int64_t>(order.size());
  ctx.SetOut(0, Tensor::From(DT_INT64, {total, rank}, out_places));
  Tensor& values = ctx.Out(1, ctx.InType(1), {total});
  for (int64_t k = 0; k < total; ++k) {
    const int64_t i = order[static_cast<size_t>(k)];
    MoveRegion(ctx, {1}, i < 0 ? ctx.In(3) : ctx.In(1), {std::max<int64_t>(i, 0), {1}}, &values, {k, {1}});
  }
  ctx.SetOut(3, Tensor::Ints(reverse));
}

void InferToDense(InferContext& ctx) {
  const auto shape = ctx.Ints(1);
  Shape out = shape ? Shape::UnknownDims(shape->elements.size()) : Shape::UnknownRank();
  for (size_t d = 0; shape && d < out.rank(); ++d) out[d] = shape->elements[d].value_or(kUnknownDim);
  ctx.SetOut(0, ctx.InType(2), out);
}

void ToDenseKernel(KernelContext& ctx) {
  const Tensor& indices = ctx.In(0);
  const Shape shape(ToInts(ctx.In(1)));
  const Ints places = ToInts(indices), strides = shape.IsKnown() ? shape.Strides() : Ints{};
  if (!shape.IsKnown() || ctx.In(3).NumElements() != 1) ctx.Fail("output_shape or default_value is no such");
  const int64_t rank = static_cast<int64_t>(shape.rank()), count = rank == 0 ? 1 : indices.NumElements() / rank;
  MoveToOutput(ctx, 0, shape, ctx.In(3), {0, Ints(shape.rank(), 0)});
  Tensor out = Tensor::Allocate(ctx.InType(2), shape);
  MoveRegion(ctx, shape, ctx.In(3), {0, Ints(shape.rank(), 0)}, &out, {0, strides});
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t k = places[static_cast<size_t>(i * rank + d)];
      if (k < 0 || k >= shape[static_cast<size_t>(d)]) ctx.Fail("index " + std::to_string(k) + " is outside " + ToString(shape));
      at += k * strides[static_cast<size_t>(d)];
    }
    MoveRegion(ctx, {1}, ctx.In(2), {ctx.In(2).NumElements() == 1 ? 0 : i, {1}}, &out, {at, {1}});
  }
  ctx.SetOut(0, out);
}

}  // namespace

void RegisterSparseOps(OpRegistry& registry) {
  registry.Add(OpDef("SparseFillEmptyRows").In("indices").In("values").In("dense_shape").In("default_value")
                   .Out("y_indices").Out("y_values").Out("empty_row_indicator").Out("reverse_index_map")
                   .On(Unit::kAiCpu).Infer(InferFill).Kernel(FillKernel));
  registry.Add(OpDef("SparseReshape").In("indices").In("shape").In("new_shape").Out("y_indices").Out("y_shape")
                   .On(Unit::kAiCpu).Infer(InferReshape).Kernel(ReshapeKernel));
  registry.Add(OpDef("SparseToDense").In("indices").In("output_shape").In("values").In("default_value").Out("y")
                   .On(Unit::kAiCpu).Infer(InferToDense).Kernel(ToDenseKernel));
}

}  // namespace atc
