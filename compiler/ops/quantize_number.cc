#include "compiler/ops/quantize_number.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/float8.h"
#include "compiler/ops/broadcast.h"

namespace atc {
namespace {

struct Range {
  DataType dtype;
  int64_t low, high;
};

constexpr Range kRanges[] = {
    {DT_INT2, -2, 1},           {DT_UINT2, 0, 3},      {DT_INT4, -8, 7},
    {DT_UINT4, 0, 15},          {DT_INT8, -128, 127},  {DT_UINT8, 0, 255},
    {DT_INT16, -32768, 32767},  {DT_UINT16, 0, 65535}, {DT_INT32, INT32_MIN, INT32_MAX},
    {DT_UINT32, 0, UINT32_MAX},
};

bool IsFloat8(DataType dtype) {
  return dtype == DT_FLOAT8_E4M3FN || dtype == DT_FLOAT8_E5M2 || dtype == DT_FLOAT8_E4M3FNUZ ||
         dtype == DT_FLOAT8_E5M2FNUZ;
}

// A vector stands along `axis` of a tensor of this rank; anything else as it is.
Shape PlacedShape(const Shape& parameter, size_t rank, int64_t axis) {
  if (parameter.rank() != 1 || parameter[0] == 1 || rank == 0)
    return parameter.NumElements() == 1 ? Shape{} : parameter;
  std::vector<int64_t> dims(rank, 1);
  const int64_t at = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
  if (at < 0 || at >= static_cast<int64_t>(rank)) return parameter;
  dims[static_cast<size_t>(at)] = parameter[0];
  return Shape(dims);
}

}  // namespace

bool IntegerRange(DataType dtype, int64_t* low, int64_t* high) {
  for (const Range& range : kRanges) {
    if (range.dtype != dtype) continue;
    *low = range.low;
    *high = range.high;
    return true;
  }
  return false;
}

bool IsQuantizedType(DataType dtype) {
  int64_t low, high;
  return IntegerRange(dtype, &low, &high) || IsFloat8(dtype) || dtype == DT_FLOAT4_E2M1;
}

void QuantizedWriter::Write(int64_t i, double value) {
  const DataType dtype = to_.dtype();
  uint32_t bits;
  int64_t low, high;
  if (IntegerRange(dtype, &low, &high)) {
    const double clamped = std::isnan(value) ? static_cast<double>(std::max<int64_t>(low, 0))
                                             : std::clamp(value, static_cast<double>(low), static_cast<double>(high));
    bits = static_cast<uint32_t>(static_cast<int64_t>(clamped));
  } else if (dtype == DT_FLOAT4_E2M1) {
    bits = FloatToFloat4E2M1(static_cast<float>(value));
  } else {
    bits = FloatToFloat8(dtype, static_cast<float>(value), saturate_);
  }
  const int width = DataTypeBits(dtype);
  if (width == 32) {
    to_.MutableData<uint32_t>()[i] = bits;
  } else if (width == 16) {
    to_.MutableData<uint16_t>()[i] = static_cast<uint16_t>(bits);
  } else if (width == 8) {
    to_.MutableData<uint8_t>()[i] = static_cast<uint8_t>(bits);
  } else {
    const int per_byte = 8 / width, shift = static_cast<int>(i % per_byte) * width;
    const uint32_t mask = (1u << width) - 1;
    uint8_t& byte = to_.MutableData<uint8_t>()[i / per_byte];
    if (shift == 0) byte = 0;
    byte = static_cast<uint8_t>(byte | (bits & mask) << shift);
  }
}

std::string ParameterFault(const Shape& parameter, const Shape& shape, int64_t axis) {
  if (!parameter.IsKnown() || !shape.IsKnown()) return "";
  Shape joined;
  if (BroadcastShapes(PlacedShape(parameter, shape.rank(), axis), shape, &joined) && joined == shape) return "";
  return "a scale or zero point of shape " + ToString(parameter) + " does not fit a tensor of shape " + ToString(shape);
}

std::vector<double> SpreadAlong(const Tensor& parameter, const Shape& shape, int64_t axis, double absent,
                                std::string* fault) {
  std::vector<double> result(static_cast<size_t>(shape.NumElements()), absent);
  if (!parameter.defined()) return result;
  *fault = ParameterFault(parameter.shape(), shape, axis);
  if (!fault->empty()) return result;
  const Shape placed = PlacedShape(parameter.shape(), shape.rank(), axis);
  const std::vector<double> values = ToDoubles(parameter);
  const BroadcastPlan plan = PlanBroadcast(shape, {placed});
  const int64_t step = plan.strides[0].back();
  ForEachRow<1>(plan, [&](int64_t at, const std::array<int64_t, 1>& from) {
    for (int64_t i = 0; i < plan.inner(); ++i) result[at + i] = values[from[0] + i * step];
  });
  return result;
}

Tensor ShiftedToInt32(const Tensor& tensor, const Tensor& zero_point, int64_t axis, std::string* fault) {
  const std::vector<double> shift = SpreadAlong(zero_point, tensor.shape(), axis, 0, fault);
  const std::vector<double> values = ToDoubles(tensor);
  Tensor result = Tensor::Allocate(DT_INT32, tensor.shape());
  for (size_t i = 0; i < values.size(); ++i) {
    result.MutableData<int32_t>()[i] = static_cast<int32_t>(values[i] - shift[i]);
  }
  return result;
}

}  // namespace atc
