// Diagonals of matrices: taken out, put in, and bands of them kept. A diagonal d holds the elements at (i, i + d).
#include <algorithm>

#include "compiler/ops/axis_loop.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/families.h"

namespace atc {
namespace {

using Dims = std::vector<int64_t>;

// Diagonals low to high of rows x columns matrices, as they lie in a tensor: one row each, the highest first, shorter
// ones at the left or the right end of their row.
struct Band {
  int64_t low = 0, high = 0, rows = 0, columns = 0;
  std::string align = "RIGHT_LEFT";  // of those above the main diagonal, then of those below

  int64_t count() const { return high - low + 1; }
  int64_t LengthOf(int64_t d) const { return std::min(rows + std::min<int64_t>(d, 0), columns - std::max<int64_t>(d, 0)); }
  int64_t length() const {
    return std::min(rows + std::min<int64_t>(high, 0), columns - std::max<int64_t>(low, 0));
  }
  // Where element (i, j) lies in a tensor of diagonals.
  int64_t Place(int64_t i, int64_t j) const {
    const int64_t d = j - i;
    const bool left = (d >= 0 && align.starts_with("LEFT")) || (d <= 0 && align.ends_with("LEFT"));
    return (high - d) * length() + std::min(i, j) + (left ? 0 : length() - LengthOf(d));
  }
};

// `k` is one number or a low and a high one.
template <typename Context>
void SetDiagonals(const Context& ctx, const Dims& k, Band* band) {
  constexpr int64_t kFar = int64_t{1} << 31;
  if (k.empty() || k.size() > 2 || k.front() > k.back() || k.front() < -kFar || k.back() > kFar) {
    ctx.Fail("k must be one number or a lower and an upper one");
  }
  band->low = k.front();
  band->high = k.back();
}

template <typename Context>
void CheckInside(const Context& ctx, const Band& band) {
  if (band.low <= -std::max<int64_t>(band.rows, 1) || band.high >= std::max<int64_t>(band.columns, 1)) {
    ctx.Fail("diagonals " + std::to_string(band.low) + " to " + std::to_string(band.high) + " are not in matrices of " +
             std::to_string(band.rows) + " x " + std::to_string(band.columns));
  }
}

bool HasK(const Node& node) { return node.def->FindAttr("align") != nullptr; }

// The one element of input `i`, of the type of input 0.
void CheckPadding(const KernelContext& ctx, size_t i) {
  if (ctx.InType(i) != ctx.InType(0) || ctx.In(i).NumElements() != 1) {
    ctx.Fail("padding_value must be one element of the type of x, it is " + std::string(DataTypeName(ctx.InType(i))) + " " +
             ToString(ctx.InShape(i)));
  }
}

Shape WithTail(const Shape& shape, size_t cut, const Dims& tail) {
  Dims dims(shape.dims().begin(), shape.dims().end() - static_cast<std::ptrdiff_t>(cut));
  dims.insert(dims.end(), tail.begin(), tail.end());
  return Shape(std::move(dims));
}

// ---- MatrixDiag(V3): diagonals to matrices ----

// The matrices that the diagonals of shape `x` give.
template <typename Context>
Band MatricesOf(const Context& ctx, const Shape& x, const Dims& k, int64_t rows, int64_t columns) {
  Band band;
  SetDiagonals(ctx, k, &band);
  if (HasK(ctx.node())) band.align = ctx.template Attr<std::string>("align");
  const bool many = band.count() > 1;
  if (x.rank() < (many ? 2u : 1u) || (many && x[x.rank() - 2] != band.count())) {
    ctx.Fail("x " + ToString(x) + " does not hold " + std::to_string(band.count()) + " diagonals");
  }
  const int64_t length = x[x.rank() - 1];
  const int64_t least_rows = length - std::min<int64_t>(band.high, 0), least_columns = length + std::max<int64_t>(band.low, 0);
  band.rows = rows >= 0 ? rows : columns >= 0 ? least_rows : std::max(least_rows, least_columns);
  band.columns = columns >= 0 ? columns : rows >= 0 ? least_columns : std::max(least_rows, least_columns);
  if (band.rows < 0 || band.rows > 1 << 24 || band.columns < 0 || band.columns > 1 << 24 || band.length() != length) {
    ctx.Fail("diagonals of length " + std::to_string(length) + " do not fit matrices of " + std::to_string(band.rows) +
             " x " + std::to_string(band.columns));
  }
  CheckInside(ctx, band);
  return band;
}

void InferMatrixDiag(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  Dims k = {0};
  int64_t rows = -1, columns = -1;
  bool known = x.HasRank() && x.rank() > 0;
  if (HasK(ctx.node())) {
    const auto at = ctx.KnownInts(1), r = ctx.KnownInts(2), c = ctx.KnownInts(3);
    known &= at && r && c && r->size() == 1 && c->size() == 1;
    if (known) {
      k = *at;
      rows = (*r)[0];
      columns = (*c)[0];
    }
  }
  if (!known) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  const size_t cut = k.size() == 2 && k[0] != k[1] ? 2 : 1;
  if (x.rank() < cut) ctx.Fail("x " + ToString(x) + " does not hold several diagonals");
  if (x[x.rank() - 1] < 0) return ctx.SetOut(0, ctx.InType(0), WithTail(x, cut, {rows, columns}));
  const Band band = MatricesOf(ctx, x, k, rows, columns);
  ctx.SetOut(0, ctx.InType(0), WithTail(x, cut, {band.rows, band.columns}));
}

void MatrixDiagKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const bool v3 = HasK(ctx.node());
  if (v3) CheckPadding(ctx, 4);
  const Band band = MatricesOf(ctx, x, v3 ? ToInts(ctx.In(1)) : Dims{0}, v3 ? OneInt(ctx, 2, "num_rows") : -1,
                               v3 ? OneInt(ctx, 3, "num_cols") : -1);
  Tensor& y = ctx.Out(0, ctx.InType(0), WithTail(x, band.count() > 1 ? 2 : 1, {band.rows, band.columns}));
  const int64_t plane = band.rows * band.columns, diagonals = band.count() * band.length();
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    const T padding = v3 ? *ctx.In(4).Data<T>() : T{};
    for (int64_t n = 0; n < y.NumElements(); ++n) {
      const int64_t i = n % plane / band.columns, j = n % band.columns;
      const bool inside = j - i >= band.low && j - i <= band.high;
      y.MutableData<T>()[n] = inside ? ctx.In(0).Data<T>()[n / plane * diagonals + band.Place(i, j)] : padding;
    }
  });
}

// ---- MatrixDiagPart(V3): matrices to diagonals ----

template <typename Context>
Band DiagonalsOf(const Context& ctx, const Shape& x, const Dims& k) {
  Band band;
  SetDiagonals(ctx, k, &band);
  if (HasK(ctx.node())) band.align = ctx.template Attr<std::string>("align");
  band.rows = x[x.rank() - 2];
  band.columns = x[x.rank() - 1];
  CheckInside(ctx, band);
  return band;
}

Shape DiagonalsShape(const Shape& x, const Band& band) {
  return WithTail(x, 2, band.count() > 1 ? Dims{band.count(), band.length()} : Dims{band.length()});
}

void InferMatrixDiagPart(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const auto k = HasK(ctx.node()) ? ctx.KnownInts(1) : std::optional(Dims{0});
  if (!x.HasRank() || x.rank() < 2 || !k || k->empty()) return ctx.SetOut(0, ctx.InType(0), Shape::UnknownRank());
  if (x[x.rank() - 1] >= 0 && x[x.rank() - 2] >= 0) {
    return ctx.SetOut(0, ctx.InType(0), DiagonalsShape(x, DiagonalsOf(ctx, x, *k)));
  }
  const int64_t count = k->back() - k->front() + 1;
  ctx.SetOut(0, ctx.InType(0), WithTail(x, 2, count > 1 ? Dims{count, kUnknownDim} : Dims{kUnknownDim}));
}

void MatrixDiagPartKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.rank() < 2) ctx.Fail("x " + ToString(x) + " must hold matrices");
  const bool v3 = HasK(ctx.node());
  if (v3) CheckPadding(ctx, 2);
  const Band band = DiagonalsOf(ctx, x, v3 ? ToInts(ctx.In(1)) : Dims{0});
  Tensor& y = ctx.Out(0, ctx.InType(0), DiagonalsShape(x, band));
  const int64_t plane = band.rows * band.columns, diagonals = band.count() * band.length();
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    T* to = y.MutableData<T>();
    std::fill_n(to, y.NumElements(), v3 ? *ctx.In(2).Data<T>() : T{});
    for (int64_t n = 0; n < ctx.In(0).NumElements(); ++n) {
      const int64_t i = n % plane / band.columns, j = n % band.columns;
      if (j - i < band.low || j - i > band.high) continue;
      to[n / plane * diagonals + band.Place(i, j)] = ctx.In(0).Data<T>()[n];
    }
  });
}

// ---- MatrixSetDiag(V3): matrices with other diagonals ----

void MatrixSetDiagKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.rank() < 2) ctx.Fail("x " + ToString(x) + " must hold matrices");
  const Band band = DiagonalsOf(ctx, x, HasK(ctx.node()) ? ToInts(ctx.In(2)) : Dims{0});
  if (ctx.InType(1) != ctx.InType(0) || ctx.InShape(1) != DiagonalsShape(x, band)) {
    ctx.Fail("the diagonals must have the type of x; they have shape " + ToString(ctx.InShape(1)) + ", wanted " + ToString(DiagonalsShape(x, band)));
  }
  Tensor& y = ctx.Out(0, ctx.InType(0), x);
  const int64_t plane = band.rows * band.columns, diagonals = band.count() * band.length();
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t n = 0; n < y.NumElements(); ++n) {
      const int64_t i = n % plane / band.columns, j = n % band.columns;
      const bool inside = j - i >= band.low && j - i <= band.high;
      y.MutableData<T>()[n] = inside ? ctx.In(1).Data<T>()[n / plane * diagonals + band.Place(i, j)] : ctx.In(0).Data<T>()[n];
    }
  });
}

// ---- Diag and DiagPart: tensors of rank r on the diagonal of one of rank 2 r ----

void InferDiag(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  if (shape.HasRank()) shape = WithTail(shape, 0, ctx.InShape(0).dims());
  ctx.SetOut(0, ctx.InType(0), shape);
}

void InferDiagPart(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, ctx.InType(0), x);
  if (x.rank() % 2 != 0) ctx.Fail("x " + ToString(x) + " must have an even rank");
  ctx.SetOut(0, ctx.InType(0), WithTail(x, x.rank() / 2, {}));
}

template <bool kPart>
void DiagKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  Shape shape = kPart ? WithTail(x, x.rank() / 2, {}) : WithTail(x, 0, x.dims());
  if (kPart && (x.rank() % 2 != 0 || WithTail(shape, 0, shape.dims()) != x)) {
    ctx.Fail("x " + ToString(x) + " must have the same dims twice");
  }
  Tensor& y = ctx.Out(0, ctx.InType(0), shape);
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    T* to = y.MutableData<T>();
    if (!kPart) std::fill_n(to, y.NumElements(), T{});
    const int64_t n = kPart ? y.NumElements() : ctx.In(0).NumElements();
    for (int64_t i = 0; i < n; ++i) to[kPart ? i : i * n + i] = ctx.In(0).Data<T>()[kPart ? i * n + i : i];
  });
}

// ---- MatrixBandPart: what lies outside of the band becomes 0; a negative width keeps a whole triangle ----

void BandPartKernel(KernelContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (x.rank() < 2) ctx.Fail("x " + ToString(x) + " must hold matrices");
  const int64_t lower = OneInt(ctx, 1, "num_lower"), upper = OneInt(ctx, 2, "num_upper");
  const int64_t rows = x[x.rank() - 2], columns = x[x.rank() - 1];
  Tensor& y = ctx.Out(0, ctx.InType(0), x);
  DispatchMovable(ctx, ctx.InType(0), [&]<typename T>() {
    for (int64_t n = 0; n < y.NumElements(); ++n) {
      const int64_t i = n / columns % rows, j = n % columns;
      const bool inside = (lower < 0 || i - j <= lower) && (upper < 0 || j - i <= upper);
      y.MutableData<T>()[n] = inside ? ctx.In(0).Data<T>()[n] : T{};
    }
  });
}

OpDef Def(const char* type, const char* input = "x") { return OpDef(type).In(input).Traits(kHalfNative); }

}  // namespace

void RegisterDiagonalOps(OpRegistry& registry) {
  registry.Add(Def("Diag").Out("y").Infer(InferDiag).Kernel(DiagKernel<false>));
  registry.Add(Def("DiagPart").Out("y").Infer(InferDiagPart).Kernel(DiagKernel<true>));
  registry.Add(Def("MatrixBandPart").In("num_lower").In("num_upper").Out("y").Infer(InferSameAsInput).Kernel(BandPartKernel));
  registry.Add(Def("MatrixDiag").Out("y").Infer(InferMatrixDiag).Kernel(MatrixDiagKernel));
  registry.Add(Def("MatrixDiagV3").In("k").In("num_rows").In("num_cols").In("padding_value").Out("y")
                   .Attr("align", "RIGHT_LEFT").Infer(InferMatrixDiag).Kernel(MatrixDiagKernel));
  registry.Add(Def("MatrixDiagPart").Out("y").Infer(InferMatrixDiagPart).Kernel(MatrixDiagPartKernel));
  registry.Add(Def("MatrixDiagPartV3").In("k").In("padding_value").Out("y").Attr("align", "RIGHT_LEFT")
                   .Infer(InferMatrixDiagPart).Kernel(MatrixDiagPartKernel));
  registry.Add(Def("MatrixSetDiag").In("diagonal").Out("y").Infer(InferSameAsInput).Kernel(MatrixSetDiagKernel));
  registry.Add(Def("tf::MatrixSetDiagV3", "input").In("diagonal").In("k").Out("output").Attr("align", "RIGHT_LEFT")
                   .Infer(InferSameAsInput).Kernel(MatrixSetDiagKernel));
}

}  // namespace atc
