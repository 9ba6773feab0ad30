#include "cmd/omrun/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {
namespace {

// |a - b| of two 64-bit integers, exact before its rounding to double.
double IntegerDistance(const ElementType& type, const std::byte* a, const std::byte* b, uint64_t i) {
  uint64_t x, y;
  std::memcpy(&x, a + i * 8, 8);
  std::memcpy(&y, b + i * 8, 8);
  const bool less = type.kind == Kind::kInt ? static_cast<int64_t>(x) < static_cast<int64_t>(y) : x < y;
  return static_cast<double>(less ? y - x : x - y);
}

// Strings are equal or not: no tolerance.
Comparison CompareStrings(const std::vector<std::string>& values, const std::vector<std::string>& references) {
  Comparison result;
  size_t first = values.size();
  for (size_t i = values.size(); i-- > 0;) {
    if (values[i] == references[i]) continue;
    ++result.outside;
    first = i;
  }
  if (result.outside > 0) {
    result.reason = fmt::format("{} of {} strings differ, the first at {}: {} where the reference has {}", result.outside,
                                values.size(), first, Quoted(values[first]), Quoted(references[first]));
  }
  result.match = result.reason.empty();
  return result;
}

}  // namespace

Comparison Compare(const Tensor& value, const Tensor& reference, const Limits& limits) {
  Comparison result;
  if (value.type != reference.type || value.dims != reference.dims) {
    result.reason = fmt::format("{} {} where the reference is {} {}", TypeName(value.type), DimsText(value.dims),
                                TypeName(reference.type), DimsText(reference.dims));
    return result;
  }
  const ElementType* type = FindElementType(value.type);
  uint64_t count;
  if (type && type->kind == Kind::kString) return CompareStrings(UnpackStrings(value), UnpackStrings(reference));
  if (!type || !ElementCount(value.dims, &count) ||
      value.bytes.size() != BytesOf(*type, count) || reference.bytes.size() != value.bytes.size()) {
    result.reason = fmt::format("{} {} with {} and {} bytes cannot be compared", TypeName(value.type),
                                DimsText(value.dims), value.bytes.size(), reference.bytes.size());
    return result;
  }
  result.comparable = true;
  const bool by_tolerance = limits.rtol || limits.atol || !limits.mincos;
  const bool by_default = !limits.rtol && !limits.atol;
  const double rtol = limits.rtol.value_or(by_default ? 1e-3 : 0), atol = limits.atol.value_or(by_default ? 1e-4 : 0);
  const bool wide_integer = type->bits == 64 && (type->kind == Kind::kInt || type->kind == Kind::kUint);

  double dot = 0, value_square = 0, reference_square = 0;
  for (uint64_t i = 0; i < ScalarsOf(*type, count); ++i) {
    const double a = ScalarAt(*type, value.bytes.data(), i), b = ScalarAt(*type, reference.bytes.data(), i);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      result.special += !(a == b || (std::isnan(a) && std::isnan(b)));
      continue;
    }
    const double distance =
        wide_integer ? IntegerDistance(*type, value.bytes.data(), reference.bytes.data(), i) : std::fabs(a - b);
    result.max_abs = std::max(result.max_abs, distance);
    if (b != 0) result.max_rel = std::max(result.max_rel, distance / std::fabs(b));
    result.outside += distance > atol + rtol * std::fabs(b);
    dot += a * b;
    value_square += a * a;
    reference_square += b * b;
  }
  if (value_square == 0 && reference_square == 0) {
    result.cosine = 1;
  } else if (value_square == 0 || reference_square == 0) {
    result.cosine = 0;
  } else {
    result.cosine = std::clamp(dot / (std::sqrt(value_square) * std::sqrt(reference_square)), -1.0, 1.0);
  }

  if (result.special) {
    result.reason = fmt::format("{} elements are NaN or infinite on one side alone", result.special);
  } else if (by_tolerance && result.outside) {
    result.reason = fmt::format("{} of {} elements are beyond atol {} + rtol {} * |reference|", result.outside,
                                ScalarsOf(*type, count), atol, rtol);
  } else if (limits.mincos && !(result.cosine >= *limits.mincos)) {
    result.reason = fmt::format("cosine {} is below {}", result.cosine, *limits.mincos);
  }
  result.match = result.reason.empty();
  return result;
}

}  // namespace atc::omrun
