// Features of domain ai.onnx.ml: ArrayFeatureExtractor, Binarizer, FeatureVectorizer, Imputer, Normalizer, Scaler.
#include <algorithm>
#include <cmath>

#include "compiler/ops/dispatch.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"
#include "compiler/ops/ml_scores.h"

namespace atc {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

// ---- ArrayFeatureExtractor: columns of the last axis by number ----

// A vector gives a matrix of one row.
Shape ExtractedShape(const Shape& x, int64_t count) {
  if (x.rank() <= 1) return {1, count};
  Shape shape = x;
  shape.dims().back() = count;
  return shape;
}

void InferExtract(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  const int64_t count = ctx.InShape(1).HasRank() ? ctx.InShape(1).NumElements() : kUnknownDim;
  ctx.SetOut(0, ctx.InType(0), x.HasRank() ? ExtractedShape(x, count) : x);
}

void ExtractKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.rank() == 0) ctx.Fail("input [] has no axis to take features from");
  const Ints columns = ToInts(ctx.In(1));
  const int64_t width = x.dim(x.rank() - 1);
  for (const int64_t column : columns) {
    if (column < 0 || column >= width) {
      ctx.Fail("feature " + std::to_string(column) + " is asked for, there are " + std::to_string(width));
    }
  }
  const auto count = static_cast<int64_t>(columns.size());
  Tensor& y = ctx.Out(0, x.dtype(), ExtractedShape(x.shape(), count));
  const int64_t rows = width == 0 ? 0 : x.NumElements() / width;
  DispatchMovable(ctx, x.dtype(), [&]<typename T>() {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < count; ++i) {
        y.MutableData<T>()[r * count + i] = x.Data<T>()[r * width + columns[static_cast<size_t>(i)]];
      }
    }
  });
}

// ---- Binarizer: 1 above the threshold, else 0 ----

void BinarizeKernel(KernelContext& ctx) {
  const double threshold = ctx.Attr<float>("threshold");
  Dispatch(NumberTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
    Tensor& y = ctx.Out(0, ctx.InType(0), ctx.InShape(0));
    std::transform(ctx.In(0).Data<T>(), ctx.In(0).Data<T>() + y.NumElements(), y.MutableData<T>(),
                   [&](T x) { return static_cast<T>(static_cast<double>(x) > threshold); });
  });
}

// ---- FeatureVectorizer: inputs side by side, each cut or filled with zeros to its inputdimensions ----

void InferVectorize(InferContext& ctx) {
  const auto widths = ctx.node().attrs.Get<Ints>("inputdimensions", {});
  int64_t columns = 0, rows = kUnknownDim;
  for (size_t i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.InShape(i).HasRank() && ctx.InShape(i).rank() > 0) rows = std::max(rows, ctx.InShape(i)[0]);
    if (columns >= 0) columns = i < widths.size() ? columns + widths[i] : kUnknownDim;
  }
  ctx.SetOut(0, DT_FLOAT, {rows, columns});
}

void VectorizeKernel(KernelContext& ctx) {
  const auto widths = ctx.node().attrs.Get<Ints>("inputdimensions", {});
  if (widths.size() != ctx.num_inputs()) {
    ctx.Fail("inputdimensions has " + std::to_string(widths.size()) + " numbers for " +
             std::to_string(ctx.num_inputs()) + " inputs");
  }
  int64_t columns = 0;
  const int64_t rows = ctx.InShape(0).rank() == 0 ? 0 : ctx.InShape(0)[0];
  for (size_t i = 0; i < widths.size(); ++i) {
    const Shape& x = ctx.InShape(i);
    if ((x.rank() != 1 && x.rank() != 2) || x[0] != rows || widths[i] < 0) {
      ctx.Fail("input " + std::to_string(i) + " is " + ToString(x) + " for inputdimensions " +
               std::to_string(widths[i]) + ", wanted [N] or [N,C] with the N of input 0, " + std::to_string(rows));
    }
    columns += widths[i];
  }
  Tensor& y = ctx.Out(0, DT_FLOAT, {rows, columns});
  std::fill_n(y.MutableData<float>(), y.NumElements(), 0.0f);
  int64_t at = 0;
  for (size_t i = 0; i < widths.size(); at += widths[i++]) {
    const std::vector<double> x = ToDoubles(ctx.In(i));
    const int64_t width = ctx.InShape(i).rank() == 1 ? 1 : ctx.InShape(i)[1];
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < std::min(width, widths[i]); ++c) {
        y.MutableData<float>()[r * columns + at + c] = static_cast<float>(x[static_cast<size_t>(r * width + c)]);
      }
    }
  }
}

// ---- Imputer: another value in place of the one that stands for "missing" ----

template <typename T, typename V>
void Impute(KernelContext& ctx, V missing, const std::vector<V>& values) {
  const Shape& shape = ctx.InShape(0);
  const auto width = static_cast<size_t>(shape.rank() == 0 ? 1 : shape[shape.rank() - 1]);
  if (values.size() != 1 && values.size() != width) {
    ctx.Fail(std::to_string(values.size()) + " imputed values are given, wanted 1 or, one a feature, " +
             std::to_string(width));
  }
  Tensor& y = ctx.Out(0, ctx.InType(0), shape);
  for (int64_t i = 0; i < y.NumElements(); ++i) {
    const T x = ctx.In(0).Data<T>()[i];
    const bool replace = x == static_cast<T>(missing) || (x != x && missing != missing);
    y.MutableData<T>()[i] =
        replace ? static_cast<T>(values[values.size() == 1 ? 0 : static_cast<size_t>(i) % width]) : x;
  }
}

void ImputeKernel(KernelContext& ctx) {
  if (IsInteger(ctx.InType(0))) {
    Dispatch(IndexTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
      Impute<T>(ctx, ctx.Attr<int64_t>("replaced_value_int64"), ctx.node().attrs.Get<Ints>("imputed_value_int64s", {}));
    });
  } else {
    Dispatch(FloatTypes{}, ctx, ctx.InType(0), [&]<typename T>() {
      Impute<T>(ctx, ctx.Attr<float>("replaced_value_float"), ctx.node().attrs.Get<Floats>("imputed_value_floats", {}));
    });
  }
}

// ---- Normalizer, Scaler ----

void InferFloatRows(InferContext& ctx) { ctx.SetOut(0, DT_FLOAT, ctx.InShape(0)); }

// Rows divided by their largest value, the sum of their absolute values or their length; where that is 0 they stay.
void NormalizeKernel(KernelContext& ctx) {
  const auto norm = ctx.Attr<std::string>("norm");
  if (norm != "MAX" && norm != "L1" && norm != "L2") ctx.Fail("norm is '" + norm + "', wanted MAX, L1 or L2");
  const ml::Features x = ml::ReadFeatures(ctx);
  Tensor& y = ctx.Out(0, DT_FLOAT, ctx.InShape(0));
  for (int64_t r = 0; r < x.rows; ++r) {
    double size = norm == "MAX" && x.columns > 0 ? x.Row(r)[0] : 0;
    for (const double value : x.Row(r)) {
      size = norm == "MAX" ? std::max(size, value) : size + (norm == "L1" ? std::abs(value) : value * value);
    }
    if (norm == "L2") size = std::sqrt(size);
    for (int64_t c = 0; c < x.columns; ++c) {
      const double value = x.Row(r)[static_cast<size_t>(c)];
      y.MutableData<float>()[r * x.columns + c] = static_cast<float>(size == 0 ? value : value / size);
    }
  }
}

// (x - offset) * scale, each one number or one a feature; absent they are 0 and 1.
void ScaleKernel(KernelContext& ctx) {
  const auto offset = ctx.node().attrs.Get<Floats>("offset", {}), scale = ctx.node().attrs.Get<Floats>("scale", {});
  const ml::Features x = ml::ReadFeatures(ctx);
  for (const Floats* list : {&offset, &scale}) {
    if (list->size() > 1 && static_cast<int64_t>(list->size()) != x.columns) {
      ctx.Fail("offset and scale have " + std::to_string(offset.size()) + " and " + std::to_string(scale.size()) +
               " numbers for " + std::to_string(x.columns) + " features, wanted 1 or as many");
    }
  }
  const auto at = [](const Floats& list, size_t c, float absent) {
    return list.empty() ? absent : list.size() == 1 ? list[0] : list[c];
  };
  Tensor& y = ctx.Out(0, DT_FLOAT, ctx.InShape(0));
  for (size_t i = 0; i < x.values.size(); ++i) {
    const size_t c = i % static_cast<size_t>(x.columns);
    y.MutableData<float>()[i] = static_cast<float>((x.values[i] - at(offset, c, 0)) * at(scale, c, 1));
  }
}

OpDef Feature(Name type) { return OpDef(type).Attr("opset", 1).On(Unit::kAiCpu); }

}  // namespace

void RegisterMlFeatureOps(OpRegistry& registry) {
  registry.Add(
      Feature("onnx::ArrayFeatureExtractor").In("X").In("Y").Out("Z").Infer(InferExtract).Kernel(ExtractKernel));
  registry.Add(Feature("onnx::Binarizer")
                   .In("X")
                   .Out("Y")
                   .Attr("threshold", 0.0f)
                   .Infer(InferSameAsInput)
                   .Kernel(BinarizeKernel));
  registry.Add(Feature("onnx::FeatureVectorizer").DynIn("X").Out("Y").Infer(InferVectorize).Kernel(VectorizeKernel));
  registry.Add(Feature("onnx::Imputer")
                   .In("X")
                   .Out("Y")
                   .Attr("replaced_value_float", 0.0f)
                   .Attr("replaced_value_int64", 0)
                   .Infer(InferSameAsInput)
                   .Kernel(ImputeKernel));
  registry.Add(
      Feature("onnx::Normalizer").In("X").Out("Y").Attr("norm", "MAX").Infer(InferFloatRows).Kernel(NormalizeKernel));
  registry.Add(Feature("onnx::Scaler").In("X").Out("Y").Infer(InferFloatRows).Kernel(ScaleKernel));
}

}  // namespace atc
