// Quantised values and products of them.
#include "backend/aclnn/recipes.h"
#include "backend/aclnn/type_rules.h"

namespace atc::aclnn {
namespace {

using Ints = std::vector<int64_t>;

// x / scale rounded to even, plus the zero point, kept within the type.
void Quantize(Builder& b) {
  const Value x = b.Wide("x");
  const DataType dtype = b.Type("dtype");
  if (dtype != DT_INT8 && dtype != DT_UINT8 && dtype != DT_INT32) b.Refuse("argument dtype is INT8, UINT8 or INT32");
  const int64_t axis = b.Axis(b.Int("axis"), b.Rank(x));
  const auto along = [&](std::string_view name) {
    const Value value = b.Wide(name);
    const int64_t count = b.ShapeOf(value).NumElements();
    Ints dims(b.Rank(x), 1);
    if (count != 1) {
      if (b.Rank(x) == 0 || count != b.ShapeOf(x)[axis]) b.Refuse("argument " + std::string(name) + " has " + std::to_string(count) + " elements, which do not fit the axis");
      dims[axis] = count;
    }
    return b.Cast(b.Reshape(value, dims), DT_FLOAT);
  };
  Value y = b.Op("Round", {b.Op("RealDiv", {b.Cast(x, DT_FLOAT), along("scales")})});
  if (b.Has("zeroPoints")) y = b.Op("Add", {y, along("zeroPoints")});
  const double least = dtype == DT_INT8 ? -128 : dtype == DT_UINT8 ? 0 : -2147483648.0;
  const double most = dtype == DT_INT8 ? 127 : dtype == DT_UINT8 ? 255 : 2147483520.0;  // the last float below 2^31
  y = b.Op("Minimum", {b.Op("Maximum", {y, b.Number(least, DT_FLOAT)}), b.Number(most, DT_FLOAT)});
  b.Out(b.Cast(y, dtype));
}

// (x + offset) * scale, with the scale squared in sqrtMode.
void AscendAntiQuant(Builder& b) {
  Value y = b.Cast(b.In("x"), DT_FLOAT);
  Value scale = b.Cast(b.In("scale"), DT_FLOAT);
  if (b.Has("offset")) y = b.Op("Add", {y, b.Cast(b.In("offset"), DT_FLOAT)});
  if (b.Flag("sqrtMode")) scale = b.Op("Mul", {scale, scale});
  const auto dtype = static_cast<DataType>(b.Int("dstType"));
  if (!IsHalf(dtype) || b.ViewOf("y").dtype != dtype) b.Refuse("argument dstType is FLOAT16 or BF16, and that of y");
  b.Out(b.Cast(b.Op("Mul", {y, scale}), dtype));
}

// A scale as the hardware takes it: the bits of a float in the low half of 64 bits.
Value ScaleOf(Builder& b) {
  const Value scale = b.In("scale");
  const DataType dtype = b.TypeOf(scale);
  if (dtype != DT_INT64 && dtype != DT_UINT64) return b.Cast(scale, DT_FLOAT);
  const int64_t count = b.ShapeOf(scale).NumElements();
  const Value halves = b.Reshape(b.Op("Bitcast", {b.Reshape(scale, {count})}, {{"type", DT_FLOAT}}), {count, 2});
  const Value low = b.Op("StridedSliceV2", {halves, b.ConstInts({0}), b.ConstInts({1}), b.ConstInts({1}), b.ConstInts({1})});
  return b.Reshape(low, {count});
}

// (x1 @ x2 + bias) * scale * scale of the row, plus the offset where the result is INT8.
void QuantMatmul(Builder& b) {
  const Value x1 = b.In("x1");
  const Value x2 = b.In("x2");
  if (b.TypeOf(x1) != DT_INT8 || b.TypeOf(x2) != DT_INT8) b.Refuse("arguments x1 and x2 must be INT8");
  if (b.Rank(x1) < 2 || b.Rank(x2) < 2) b.Refuse("arguments x1 and x2 must have 2 dims or more");
  const Value product = b.Op("BatchMatMulV2", {b.Cast(x1, DT_INT32), b.Cast(x2, DT_INT32)},
                             {{"adj_x1", b.Flag("transposeX1")}, {"adj_x2", b.Flag("transposeX2")}});
  const Value bias = b.In("bias");
  Value sums = product;
  if (bias && b.TypeOf(bias) == DT_INT32) sums = b.Op("Add", {product, bias});
  Value y = b.Op("Mul", {b.Cast(sums, DT_FLOAT), ScaleOf(b)});
  if (const Value rows = b.In("pertokenScaleOptional")) {
    y = b.Op("Mul", {y, b.Reshape(b.Cast(rows, DT_FLOAT), {b.ShapeOf(rows).NumElements(), 1})});
  }
  if (bias && b.TypeOf(bias) != DT_INT32) y = b.Op("Add", {y, b.Cast(bias, DT_FLOAT)});
  if (const Value offset = b.In("offset")) y = b.Op("Add", {y, b.Cast(offset, DT_FLOAT)});
  const DataType out = b.ViewOf("out").dtype;
  if (out == DT_INT8) {
    y = b.Op("Round", {y});
    y = b.Cast(b.Op("Minimum", {b.Op("Maximum", {y, b.Number(-128, DT_FLOAT)}), b.Number(127, DT_FLOAT)}), DT_INT8);
  } else if (out == DT_INT32) {
    y = sums;
  }
  b.Out(y);
}

}  // namespace

std::vector<Recipe> QuantRecipes() {
  return {
      {"AscendAntiQuant", AscendAntiQuant},
      {"QuantMatmulV4", QuantMatmul},
      {"Quantize", Quantize},
  };
}

}  // namespace atc::aclnn
