// Sums, means, extremes and their places, order.
#include <cmath>

#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

// All axes where none is named.
Ints ReducedAxes(Builder& b, Value x, const Ints& named) {
  Ints axes = b.Axes(named, b.Rank(x));
  if (!axes.empty()) return axes;
  for (size_t i = 0; i < b.Rank(x); ++i) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

Value Reduce(Builder& b, const char* op, Value x, const Ints& axes, bool keep) {
  if (b.Rank(x) == 0) return b.Op("Identity", {x});
  return b.Op(op, {x, b.ConstInts(axes)}, {{"keep_dims", keep}});
}

// The operand as the type that the sum is taken in.
Value Summand(Builder& b, bool to_float) {
  const DataType dtype = b.Type("dtype");
  const Value x = b.In("self");
  if (ClassOf(dtype) < ClassOf(b.TypeOf(x)) || (to_float && ClassOf(dtype) < TypeClass::kFloat)) {
    b.Refuse("argument dtype is " + std::string(DataTypeName(dtype)) + ", which does not hold the result");
  }
  return b.Widen(b.Cast(x, dtype));
}

void ReduceSum(Builder& b) {
  Value x = Summand(b, false);
  if (b.TypeOf(x) == DT_BOOL) x = b.Cast(x, DT_INT64);
  b.Out(Reduce(b, "ReduceSum", x, ReducedAxes(b, x, b.Ints("dims")), b.Flag("keepDims")));
}

void Mean(Builder& b) {
  const Value x = Summand(b, true);
  b.Out(Reduce(b, "ReduceMean", x, ReducedAxes(b, x, b.Ints("dim")), b.Flag("keepDim")));
}

void MeanV2(Builder& b) {
  const Value x = b.ToFloat(b.In("self"));
  if (b.Ints("dim").empty() && b.Flag("noopWithEmptyAxes")) return b.Out(b.Op("Identity", {x}));
  b.Out(Reduce(b, "ReduceMean", x, ReducedAxes(b, x, b.Ints("dim")), b.Flag("keepDim")));
}

// The detail is the operator. Bools are ordered as 0 and 1.
void Extreme(Builder& b) {
  const Value x = b.Wide("self");
  b.Out(Reduce(b, b.detail(), x, ReducedAxes(b, x, b.Ints("dim")), b.Flag("keepDim")));
}

void ExtremeOfAll(Builder& b) {
  const Value x = b.Wide("self");
  b.OutWhole(Reduce(b, b.detail(), x, ReducedAxes(b, x, {}), false));
}

void Prod(Builder& b) {
  const Value x = Summand(b, false);
  b.OutWhole(Reduce(b, "ReduceProd", x, ReducedAxes(b, x, {}), false));
}

void ProdDim(Builder& b) {
  const Value x = Summand(b, false);
  b.Out(Reduce(b, "ReduceProd", x, {b.Axis(b.Int("dim"), b.Rank(x))}, b.Flag("keepDim")));
}

void AllOrAny(Builder& b) {
  const Value x = b.ToBool(b.In("self"));
  b.Out(Reduce(b, b.detail(), x, ReducedAxes(b, x, b.Ints("dim")), b.Flag("keepdim")));
}

void ArgExtreme(Builder& b) {
  Value x = b.Wide("self");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  const bool scalar = b.Rank(x) == 0;
  if (scalar) x = b.Reshape(x, {1});
  const Value place = b.Op(b.detail(), {x}, {{"axis", axis}, {"keepdims", b.Flag("keepdim") && !scalar ? 1 : 0}, {"opset", 13}});
  // Places are int64 and may be given as int32.
  b.WantType("out", {DT_INT32, DT_INT64});
  b.Out(b.ViewOf("out").dtype == DT_INT32 ? b.Cast(place, DT_INT32) : place);
}

// Values and places of the largest or smallest along a dim; the detail is the operator of the values.
void ExtremeDim(Builder& b) {
  const Value x = b.Wide("self");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  const bool largest = std::string_view(b.detail()) == "ReduceMax";
  b.Out("out", Reduce(b, b.detail(), x, {axis}, b.Flag("keepdim")));
  const Value place = b.Op(largest ? "onnx::ArgMax" : "onnx::ArgMin", {x}, {{"axis", axis}, {"keepdims", b.Flag("keepdim") ? 1 : 0}, {"opset", 13}});
  b.WantType("indices", {DT_INT32, DT_INT64});
  b.Out("indices", b.ViewOf("indices").dtype == DT_INT32 ? b.Cast(place, DT_INT32) : place);
}

void LogSumExp(Builder& b) {
  const Value x = b.ToFloat(b.In("self"));
  b.Out(Reduce(b, "ReduceLogSumExp", x, ReducedAxes(b, x, b.Ints("dim")), b.Flag("keepDim")));
}

void ReduceLogSum(Builder& b) {
  const Value x = b.ToFloat(b.In("data"));
  if (b.Ints("axes").empty() && b.Flag("noopWithEmptyAxes")) return b.Out(b.Op("Log", {x}));
  b.Out(b.Op("Log", {Reduce(b, "ReduceSum", x, ReducedAxes(b, x, b.Ints("axes")), b.Flag("keepDims"))}));
}

void Norm(Builder& b) {
  const Value x = b.ToFloat(b.In("self"));
  const DataType dtype = b.TypeOf(x);
  const double p = b.Number("pScalar");
  const Ints axes = ReducedAxes(b, x, b.Ints("dim"));
  const bool keep = b.Flag("keepdim");
  const Value size = b.Op("Abs", {x});
  if (std::isinf(p)) return b.Out(Reduce(b, p > 0 ? "ReduceMax" : "ReduceMin", size, axes, keep));
  if (p == 0) {
    return b.Out(Reduce(b, "ReduceSum", b.Cast(b.Op("NotEqual", {x, b.Number(0, dtype)}), dtype), axes, keep));
  }
  if (p == 1) return b.Out(Reduce(b, "ReduceSum", size, axes, keep));
  if (p == 2) return b.Out(b.Op("Sqrt", {Reduce(b, "ReduceSum", b.Op("Mul", {x, x}), axes, keep)}));
  const Value sum = Reduce(b, "ReduceSum", b.Op("Pow", {size, b.Number(p, dtype)}), axes, keep);
  b.Out(b.Op("Pow", {sum, b.Number(1 / p, dtype)}));
}

// The mean, and the sum of squared distances from it over count - correction.
struct Spread {
  Value mean, variance;
};

Spread SpreadOf(Builder& b, double correction) {
  const Value x = b.ToFloat(b.In("self"));
  const Ints axes = ReducedAxes(b, x, b.Ints("dim"));
  const bool keep = b.Flag("keepdim");
  double count = 1;
  for (const int64_t axis : axes) count *= static_cast<double>(b.ShapeOf(x)[axis]);
  const Value away = b.Op("Sub", {x, Reduce(b, "ReduceMean", x, axes, true)});
  const Value sum = Reduce(b, "ReduceSum", b.Op("Mul", {away, away}), axes, keep);
  const Value variance = b.Op("RealDiv", {sum, b.Number(std::max(0.0, count - correction), b.TypeOf(x))});
  return {Reduce(b, "ReduceMean", x, axes, keep), variance};
}

void Std(Builder& b) { b.Out(b.Op("Sqrt", {SpreadOf(b, static_cast<double>(b.Int("correction"))).variance})); }
void Var(Builder& b) { b.Out(SpreadOf(b, b.Flag("unbiased") ? 1 : 0).variance); }
void VarCorrection(Builder& b) { b.Out(SpreadOf(b, static_cast<double>(b.Int("correction"))).variance); }

void VarMean(Builder& b) {
  const Spread spread = SpreadOf(b, static_cast<double>(b.Int("correction")));
  b.Out("varOut", spread.variance);
  b.Out("meanOut", spread.mean);
}

void StdMean(Builder& b) {
  const Spread spread = SpreadOf(b, static_cast<double>(b.Int("correction")));
  b.Out("stdOut", b.Op("Sqrt", {spread.variance}));
  b.Out("meanOut", spread.mean);
}

// Both extremes, along dims, of all, or along one dim: the detail.
void Aminmax(Builder& b) {
  const Value x = b.Wide("self");
  const std::string_view form = b.detail();
  const bool whole = form == "all";
  const Ints axes = form == "dim" ? Ints{b.Axis(b.Int("dim"), b.Rank(x))} : ReducedAxes(b, x, whole ? Ints{} : b.Ints("dim"));
  const bool keep = !whole && b.Flag("keepDim");
  const auto out = [&](const char* name, const char* op) {
    const Value extreme = Reduce(b, op, x, axes, keep);
    if (whole) b.OutWhole(name, extreme);
    else b.Out(name, extreme);
  };
  out("minOut", "ReduceMin");
  out("maxOut", "ReduceMax");
}

void MaxV2(Builder& b) {
  const Value x = b.Wide("self");
  if (b.Ints("dims").empty() && b.Flag("noopWithEmptyDims")) return b.Out(b.Op("Identity", {x}));
  b.Out(Reduce(b, "ReduceMax", x, ReducedAxes(b, x, b.Ints("dims")), b.Flag("keepDims")));
}

// The sum or an extreme of the tensors of a list, element by element; the detail is the operator.
void OfList(Builder& b) {
  std::vector<Value> values = b.List("tensors");
  if (values.empty()) b.Refuse("argument tensors is an empty list");
  Value all = b.Widen(values[0]);
  for (size_t i = 1; i < values.size(); ++i) {
    Value next = b.Widen(values[i]);
    b.Common(all, next);
    all = b.Op(b.detail(), {all, next});
  }
  b.Out(all);
}

// What is no number counts as 0.
void ReduceNansum(Builder& b) {
  Value x = Summand(b, false);
  if (ClassOf(b.TypeOf(x)) == TypeClass::kFloat) x = b.Op("SelectV2", {b.Op("IsNan", {x}), b.Number(0, b.TypeOf(x)), x});
  if (b.TypeOf(x) == DT_BOOL) x = b.Cast(x, DT_INT64);
  b.Out(Reduce(b, "ReduceSum", x, ReducedAxes(b, x, b.Ints("dim")), b.Flag("keepDim")));
}

// The sum of the diagonal.
void Trace(Builder& b) {
  Value x = b.Wide("self");
  if (b.Rank(x) != 2) b.Refuse("argument self has shape " + ToString(b.ShapeOf(x)) + "; a matrix is wanted");
  if (b.TypeOf(x) == DT_BOOL) x = b.Cast(x, DT_INT64);
  const int64_t count = std::min(b.ShapeOf(x)[0], b.ShapeOf(x)[1]);
  const Value index = b.Op("Range", {b.Const(atc::Tensor::Scalar(int64_t{0})), b.Const(atc::Tensor::Scalar(count)), b.Const(atc::Tensor::Scalar(int64_t{1}))});
  const Value rows = b.Op("GatherV2", {x, index, b.Const(atc::Tensor::Scalar(int64_t{0}))});
  const Value diagonal = b.Op("onnx::GatherElements", {rows, b.Reshape(index, {count, 1})}, {{"axis", 1}, {"opset", 13}});
  b.OutWhole(Reduce(b, "ReduceSum", diagonal, {0, 1}, false));
}

void Cumprod(Builder& b) {
  const bool in_place = std::string_view(b.detail()) == "in place";
  const Value x = in_place ? b.In("input") : b.Cast(b.In("input"), b.Type("dtype"));
  const int64_t axis = b.Axis(static_cast<int64_t>(b.Number("dim")), b.Rank(x));
  b.Out(b.Op("Cumprod", {b.Widen(x), b.Const(atc::Tensor::Scalar(axis))}));
}

void CumsumV2(Builder& b) {
  const Value x = b.Wide("self");
  const Value axis = b.Const(atc::Tensor::Scalar(b.Axis(b.Int("dim"), b.Rank(x))));
  b.Out(b.Op("Cumsum", {x, axis}, {{"exclusive", b.Flag("exclusive")}, {"reverse", b.Flag("reverse")}}));
}

void Cumsum(Builder& b) {
  const Value x = Summand(b, false);
  b.Out(b.Op("Cumsum", {x, b.Const(atc::Tensor::Scalar(b.Axis(b.Int("dim"), b.Rank(x))))}));
}

void Topk(Builder& b) {
  if (!b.Flag("sorted")) b.Refuse("argument sorted is false; the values come in their order, so it must be true");
  const Value x = b.Wide("self");
  const int64_t axis = b.Axis(b.Int("dim"), b.Rank(x));
  const int64_t k = b.Int("k");
  if (b.Rank(x) == 0 || k < 0 || k > b.ShapeOf(x)[axis]) b.Refuse("argument k is " + std::to_string(k) + ", beyond the dim");
  const auto found = b.Ops("TopKV2", {x, b.Const(atc::Tensor::Scalar(k))},
                           {{"dim", axis}, {"largest", b.Flag("largest")}, {"indices_dtype", static_cast<int>(DT_INT64)}}, 2);
  b.Out("valuesOut", found[0]);
  b.WantType("indicesOut", {DT_INT64});
  b.Out("indicesOut", b.Cast(found[1], DT_INT64));
}

}  // namespace

std::vector<Recipe> ReductionRecipes() {
  return {
      {"AddN", OfList, "Add"},
      {"All", AllOrAny, "ReduceAll"},
      {"Amax", Extreme, "ReduceMax"},
      {"Amin", Extreme, "ReduceMin"},
      {"Aminmax", Aminmax, "dims"},
      {"AminmaxAll", Aminmax, "all"},
      {"AminmaxDim", Aminmax, "dim"},
      {"Any", AllOrAny, "ReduceAny"},
      {"ArgMax", ArgExtreme, "onnx::ArgMax"},
      {"ArgMin", ArgExtreme, "onnx::ArgMin"},
      {"Cumprod", Cumprod, "to dtype"},
      {"Cumsum", Cumsum},
      {"CumsumV2", CumsumV2},
      {"InplaceCumprod", Cumprod, "in place"},
      {"LogSumExp", LogSumExp},
      {"Max", ExtremeOfAll, "ReduceMax"},
      {"MaxDim", ExtremeDim, "ReduceMax"},
      {"MaxN", OfList, "Maximum"},
      {"MaxV2", MaxV2},
      {"Mean", Mean},
      {"MeanV2", MeanV2},
      {"Min", ExtremeOfAll, "ReduceMin"},
      {"MinDim", ExtremeDim, "ReduceMin"},
      {"MinN", OfList, "Minimum"},
      {"Norm", Norm},
      {"Prod", Prod},
      {"ProdDim", ProdDim},
      {"ReduceLogSum", ReduceLogSum},
      {"ReduceNansum", ReduceNansum},
      {"ReduceSum", ReduceSum},
      {"Std", Std},
      {"StdMeanCorrection", StdMean},
      {"Sum", OfList, "Add"},
      {"Topk", Topk},
      {"Trace", Trace},
      {"Var", Var},
      {"VarCorrection", VarCorrection},
      {"VarMean", VarMean},
  };
}

}  // namespace atc::aclnn
