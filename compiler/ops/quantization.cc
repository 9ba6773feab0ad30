// onnx::QuantizeLinear, onnx::DequantizeLinear and onnx::DynamicQuantizeLinear: one scale for a tensor, for each index
// of an axis, or for each block along an axis.
#include <cmath>

#include "compiler/ir/infer_context.h"
#include "compiler/ops/dispatch.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/families.h"
#include "compiler/ops/quantize_number.h"

namespace atc {
namespace {

// Which scale belongs to an element: x seen as [outer, length, inner] around the axis.
struct Blocks {
  int64_t outer = 1, length = 1, inner = 1;
  int64_t block = 0;   // elements of the axis that share a scale; 0: one scale for all
  int64_t scales = 1;  // along the axis
  bool per_inner = false;

  int64_t ScaleOf(int64_t o, int64_t a, int64_t i) const {
    if (block == 0) return 0;
    return per_inner ? (o * scales + a / block) * inner + i : a / block;
  }
};

Blocks FitBlocks(const KernelContext& ctx) {
  const Shape &x = ctx.InShape(0), &scale = ctx.InShape(1);
  Blocks blocks;
  if (scale.NumElements() == 1 && scale.rank() <= 1) {
    blocks.inner = x.NumElements();
    return blocks;
  }
  const auto rank = static_cast<int64_t>(x.rank());
  int64_t axis = ctx.Attr<int64_t>("axis");
  if (axis < -rank || axis >= rank) {
    ctx.Fail("axis " + std::to_string(axis) + " is outside the rank of x " + ToString(x));
  }
  if (axis < 0) axis += rank;
  for (int64_t d = 0; d < rank; ++d) (d < axis ? blocks.outer : d == axis ? blocks.length : blocks.inner) *= x[d];
  const int64_t size = ctx.node().def->FindAttr("block_size") ? ctx.Attr<int64_t>("block_size") : 0;
  if (scale.rank() == 1) {
    blocks.block = 1;
    blocks.scales = scale[0];
    if (scale[0] != blocks.length) {
      ctx.Fail("the scale has " + std::to_string(scale[0]) + " elements, axis " + std::to_string(axis) + " of x " +
               ToString(x) + " has " + std::to_string(blocks.length));
    }
    return blocks;
  }
  blocks.per_inner = true;
  blocks.block = size;
  bool fits = size > 0 && scale.rank() == x.rank();
  for (int64_t d = 0; fits && d < rank; ++d) fits = d == axis ? scale[d] == (x[d] + size - 1) / size : scale[d] == x[d];
  if (!fits) {
    ctx.Fail("scale " + ToString(scale) + " does not fit x " + ToString(x) + " with block_size " +
             std::to_string(size) + " on axis " + std::to_string(axis));
  }
  blocks.scales = scale[axis];
  return blocks;
}

// Calls visit(element, scale) in row-major order.
template <typename Visit>
void ForEachScaled(const Blocks& blocks, Visit visit) {
  int64_t at = 0;
  for (int64_t o = 0; o < blocks.outer; ++o) {
    for (int64_t a = 0; a < blocks.length; ++a) {
      for (int64_t i = 0; i < blocks.inner; ++i) visit(at++, blocks.ScaleOf(o, a, i));
    }
  }
}

std::vector<double> ZeroPoints(const KernelContext& ctx, size_t scales) {
  if (!ctx.HasInput(2)) return std::vector<double>(scales, 0.0);
  if (ctx.InShape(2).NumElements() != static_cast<int64_t>(scales)) {
    ctx.Fail("zero point " + ToString(ctx.InShape(2)) + " and scale " + ToString(ctx.InShape(1)) +
             " must have one shape");
  }
  return ToDoubles(ctx.In(2));
}

// The type of the zero point, else attribute output_dtype, else uint8.
template <typename Context>
DataType QuantizedType(const Context& ctx) {
  if (ctx.HasInput(2)) return ctx.InType(2);
  const int64_t named = ctx.template Attr<int64_t>("output_dtype");
  return named == 0 ? DT_UINT8 : DataTypeFromOnnx(static_cast<int>(named));
}

void InferQuantize(InferContext& ctx) { ctx.SetOut(0, QuantizedType(ctx), ctx.InShape(0)); }

void QuantizeKernel(KernelContext& ctx) {
  const DataType dtype = QuantizedType(ctx);
  if (!IsQuantizedType(dtype)) FailOnType(ctx, dtype);
  const Blocks blocks = FitBlocks(ctx);
  const std::vector<double> x = ToDoubles(ctx.In(0)), scale = ToDoubles(ctx.In(1));
  const std::vector<double> zero = ZeroPoints(ctx, scale.size());
  const bool wide = ctx.InType(0) == DT_DOUBLE;
  int64_t low, high;
  const bool integer = IntegerRange(dtype, &low, &high);
  Tensor& y = ctx.Out(0, dtype, ctx.InShape(0));
  QuantizedWriter writer(y, ctx.Attr<int64_t>("saturate") != 0);
  ForEachScaled(blocks, [&](int64_t i, int64_t s) {
    // The quotient is a float in the standard: in double, ties would fall elsewhere.
    const double quotient =
        wide ? x[i] / scale[s] : static_cast<double>(static_cast<float>(x[i]) / static_cast<float>(scale[s]));
    writer.Write(i, integer ? std::nearbyint(quotient) + zero[s] : quotient + zero[s]);
  });
}

DataType RealType(const Node& node, DataType scale) {
  const int64_t named = node.Attr<int64_t>("output_dtype");
  return named == 0 ? scale : DataTypeFromOnnx(static_cast<int>(named));
}

void InferDequantize(InferContext& ctx) { ctx.SetOut(0, RealType(ctx.node(), ctx.InType(1)), ctx.InShape(0)); }

void DequantizeKernel(KernelContext& ctx) {
  const DataType scale_type = ctx.InType(1), dtype = RealType(ctx.node(), scale_type);
  if (!IsHalf(dtype) && dtype != DT_FLOAT && dtype != DT_DOUBLE) FailOnType(ctx, dtype);
  const Blocks blocks = FitBlocks(ctx);
  const std::vector<double> x = ToDoubles(ctx.In(0)), scale = ToDoubles(ctx.In(1));
  const std::vector<double> zero = ZeroPoints(ctx, scale.size());
  const DataType computed = dtype == DT_DOUBLE ? DT_DOUBLE : DT_FLOAT;
  Tensor y = Tensor::Allocate(computed, ctx.InShape(0));
  ForEachScaled(blocks, [&](int64_t i, int64_t s) {
    const double value = (x[i] - zero[s]) * scale[s];
    if (computed == DT_DOUBLE) {
      y.MutableData<double>()[i] = value;
    } else {
      y.MutableData<float>()[i] = static_cast<float>(value);
    }
  });
  const Tensor stored = Narrow(y, dtype);
  std::copy_n(stored.Data(), stored.NumBytes(), ctx.Out(0, dtype, ctx.InShape(0)).MutableData());
}

void InferDynamic(InferContext& ctx) {
  ctx.SetOut(0, DT_UINT8, ctx.InShape(0));
  ctx.SetOut(1, DT_FLOAT, {});
  ctx.SetOut(2, DT_UINT8, {});
}

// uint8 over the range of x widened to hold 0 (ONNX, DynamicQuantizeLinear); all in float as the standard computes it.
void DynamicKernel(KernelContext& ctx) {
  const Tensor& x = ctx.In(0);
  if (x.dtype() != DT_FLOAT) FailOnType(ctx, x.dtype());
  float low = 0, high = 0;
  for (const float v : x.Span<float>()) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const float scale = high == low ? 1.0f : (high - low) / 255.0f;
  const float zero = std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f);
  uint8_t* y = ctx.Out(0, DT_UINT8, x.shape()).MutableData<uint8_t>();
  for (int64_t i = 0; i < x.NumElements(); ++i) {
    const float q = std::nearbyint(x.Data<float>()[i] / scale) + zero;
    y[i] = std::isnan(q) ? 0 : static_cast<uint8_t>(std::clamp(q, 0.0f, 255.0f));
  }
  if (ctx.WantsOutput(1)) ctx.Out(1, DT_FLOAT, {}).MutableData<float>()[0] = scale;
  if (ctx.WantsOutput(2)) ctx.Out(2, DT_UINT8, {}).MutableData<uint8_t>()[0] = static_cast<uint8_t>(zero);
}

}  // namespace

// Half types are taken as the model has them, but nothing is lowered to them here: scales are small numbers. A
// DequantizeLinear of constants is what 8-bit operators are known by: it is folded after they have been made.
void RegisterQuantizationOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::DequantizeLinear")
                   .In("x")
                   .In("x_scale")
                   .OptIn("x_zero_point")
                   .Out("y")
                   .Attr("axis", 1)
                   .Attr("block_size", 0)
                   .Attr("output_dtype", 0)
                   .Attr("opset", 10)
                   .Traits(kNoFold)
                   .Infer(InferDequantize)
                   .Kernel(DequantizeKernel));
  registry.Add(OpDef("onnx::DynamicQuantizeLinear")
                   .In("x")
                   .Out("y")
                   .Out("y_scale")
                   .Out("y_zero_point")
                   .Attr("opset", 11)
                   .Infer(InferDynamic)
                   .Kernel(DynamicKernel));
  registry.Add(OpDef("onnx::QuantizeLinear")
                   .In("x")
                   .In("y_scale")
                   .OptIn("y_zero_point")
                   .Out("y")
                   .Attr("axis", 1)
                   .Attr("block_size", 0)
                   .Attr("output_dtype", 0)
                   .Attr("precision", 0)
                   .Attr("saturate", 1)
                   .Attr("opset", 10)
                   .Infer(InferQuantize)
                   .Kernel(QuantizeKernel));
}

}  // namespace atc
