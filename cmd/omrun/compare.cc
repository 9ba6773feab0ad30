#include "cmd/omrun/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
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

struct ToleranceRow {
  aclDataType type;
  Tolerance tolerance;
};

constexpr ToleranceRow kTolerances[] = {
    {ACL_DOUBLE, {1e-6, 1e-9}},      {ACL_COMPLEX128, {1e-6, 1e-9}},    {ACL_FLOAT, {1e-3, 1e-4}},
    {ACL_COMPLEX64, {1e-3, 1e-4}},   {ACL_FLOAT16, {1e-2, 1e-3}},       {ACL_COMPLEX32, {1e-2, 1e-3}},
    {ACL_BF16, {4e-2, 1e-2}},        {ACL_HIFLOAT8, {0.25, 0.0625}},    {ACL_FLOAT8_E5M2, {0.25, 0.0625}},
    {ACL_FLOAT8_E4M3FN, {0.25, 0.0625}}, {ACL_FLOAT8_E8M0, {0.25, 0.0625}}, {ACL_FLOAT4_E2M1, {0.25, 0.0625}},
};

const double* FindLimit(const std::vector<std::pair<aclDataType, double>>& limits, aclDataType type) {
  const double* found = nullptr;
  for (const auto& [of, limit] : limits) {
    if (of == type) found = &limit;
  }
  return found;
}

bool Coarser(aclDataType a, aclDataType b) { return DefaultTolerance(a).rtol > DefaultTolerance(b).rtol; }

// What holds for the type, and whether the tolerance counts at all. *judged_as: whose default it is. Integers, which have
// no tolerance, are exact in whatever precision they were made.
Tolerance ToleranceOf(const Limits& limits, aclDataType type, aclDataType computed_in, bool* counts, aclDataType* judged_as) {
  const double* own_rtol = FindLimit(limits.rtol_of, type);
  const double* own_atol = FindLimit(limits.atol_of, type);
  const bool given = own_rtol || own_atol || limits.rtol || limits.atol;
  *counts = given || !limits.mincos;
  if (!given) {
    *judged_as = DefaultTolerance(type).rtol > 0 && Coarser(computed_in, type) ? computed_in : type;
    return DefaultTolerance(*judged_as);
  }
  return {own_rtol ? *own_rtol : limits.rtol.value_or(0), own_atol ? *own_atol : limits.atol.value_or(0)};
}

Dims IndexOf(uint64_t element, const Dims& dims) {
  Dims index(dims.size(), 0);
  for (size_t d = dims.size(); d-- > 0;) {
    if (dims[d] <= 0) continue;
    index[d] = static_cast<int64_t>(element % static_cast<uint64_t>(dims[d]));
    element /= static_cast<uint64_t>(dims[d]);
  }
  return index;
}

double MetricOf(Metric metric, const Comparison& c) {
  switch (metric) {
    case Metric::kL0: return static_cast<double>(c.outside);
    case Metric::kL1: return c.l1;
    case Metric::kL2: return c.l2;
    case Metric::kLInf: return c.max_abs;
    case Metric::kCos: return 1 - c.cosine;
  }
  return 0;
}

constexpr const char* kMetricNames[] = {"l0", "l1", "l2", "linf", "1 - cosine"};

void Judge(const Limits& limits, bool by_tolerance, Comparison* result) {
  if (result->special) {
    result->reason = fmt::format("{} elements are NaN or infinite on one side alone", result->special);
  } else if (limits.metric) {
    const double figure = MetricOf(*limits.metric, *result);
    if (!(figure <= limits.threshold)) {
      result->reason = fmt::format("{} {:.6g} is above {}", kMetricNames[static_cast<int>(*limits.metric)], figure, limits.threshold);
    }
  } else if (by_tolerance && result->outside) {
    result->reason = fmt::format("{} of {} elements are beyond atol {} + rtol {} * |reference|{}", result->outside,
                                 result->elements, result->tolerance.atol, result->tolerance.rtol,
                                 result->judged_as == ACL_DT_UNDEFINED ? "" : fmt::format(", the default of {}", TypeName(result->judged_as)));
  } else if (limits.mincos && !(result->cosine >= *limits.mincos)) {
    result->reason = fmt::format("cosine {} is below {}", result->cosine, *limits.mincos);
  }
  result->match = result->reason.empty();
}

Comparison CompareNumbers(const Tensor& value, const ElementType& type, const Tensor& reference,
                          const ElementType& reference_type, aclDataType type_of_limits, const Limits& limits,
                          aclDataType computed_in) {
  Comparison result;
  uint64_t count = 0;
  ElementCount(value.dims, &count);
  result.comparable = true;
  result.elements = ScalarsOf(type, count);
  bool by_tolerance = true;
  result.tolerance = ToleranceOf(limits, type_of_limits, computed_in, &by_tolerance, &result.judged_as);
  const bool wide_integer = type.acl == reference_type.acl && type.bits == 64 && (type.kind == Kind::kInt || type.kind == Kind::kUint);
  const uint64_t per_element = type.kind == Kind::kComplex ? 2 : 1;

  double dot = 0, value_square = 0, reference_square = 0, sum = 0, square_sum = 0, reference_sum = 0, worst = 0;
  const auto note_worst = [&](uint64_t i, double a, double b, double excess) {
    if (result.worst && !(excess > worst)) return;
    worst = excess;
    result.worst = IndexOf(i / per_element, value.dims);
    result.worst_value = a;
    result.worst_reference = b;
  };
  for (uint64_t i = 0; i < result.elements; ++i) {
    const double a = ScalarAt(type, value.bytes.data(), i), b = ScalarAt(reference_type, reference.bytes.data(), i);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ++result.special;
      note_worst(i, a, b, std::numeric_limits<double>::infinity());
      continue;
    }
    const double distance =
        wide_integer ? IntegerDistance(type, value.bytes.data(), reference.bytes.data(), i) : std::fabs(a - b);
    const double allowed = result.tolerance.atol + result.tolerance.rtol * std::fabs(b);
    result.max_abs = std::max(result.max_abs, distance);
    if (b != 0) result.max_rel = std::max(result.max_rel, distance / std::fabs(b));
    result.outside += distance > allowed;
    if (distance > 0) note_worst(i, a, b, distance - allowed);
    dot += a * b;
    value_square += a * a;
    reference_square += b * b;
    sum += distance;
    square_sum += distance * distance;
    reference_sum += std::fabs(b);
  }
  if (value_square == 0 && reference_square == 0) {
    result.cosine = 1;
  } else if (value_square == 0 || reference_square == 0) {
    result.cosine = 0;
  } else {
    result.cosine = std::clamp(dot / (std::sqrt(value_square) * std::sqrt(reference_square)), -1.0, 1.0);
  }
  result.l1 = reference_sum > 0 ? sum / reference_sum : sum;
  result.l2 = reference_square > 0 ? std::sqrt(square_sum / reference_square) : std::sqrt(square_sum);
  Judge(limits, by_tolerance, &result);
  return result;
}

// Same shape, and bytes as the shapes say.
bool Comparable(const Tensor& value, const ElementType* type, const Tensor& reference, const ElementType* reference_type,
                std::string* reason) {
  uint64_t count = 0;
  if (type && reference_type && ElementCount(value.dims, &count) && value.bytes.size() == BytesOf(*type, count) &&
      reference.bytes.size() == BytesOf(*reference_type, count)) {
    return true;
  }
  *reason = fmt::format("{} {} with {} and {} bytes cannot be compared", TypeName(value.type), DimsText(value.dims),
                        value.bytes.size(), reference.bytes.size());
  return false;
}

Comparison Unlike(const Tensor& value, const Tensor& reference) {
  Comparison result;
  result.reason = fmt::format("{} {} where the reference is {} {}", TypeName(value.type), DimsText(value.dims),
                              TypeName(reference.type), DimsText(reference.dims));
  return result;
}

bool IsString(const ElementType* type) { return type && type->kind == Kind::kString; }

}  // namespace

Tolerance DefaultTolerance(aclDataType type) {
  for (const ToleranceRow& row : kTolerances) {
    if (row.type == type) return row.tolerance;
  }
  return {};
}

Comparison Compare(const Tensor& value, const Tensor& reference, const Limits& limits, aclDataType computed_in) {
  if (value.type != reference.type || value.dims != reference.dims) return Unlike(value, reference);
  return CompareValues(value, reference, limits, computed_in);
}

Comparison CompareValues(const Tensor& value, const Tensor& reference, const Limits& limits, aclDataType computed_in) {
  const ElementType* type = FindElementType(value.type);
  const ElementType* reference_type = FindElementType(reference.type);
  if (value.dims != reference.dims || IsString(type) != IsString(reference_type)) return Unlike(value, reference);
  if (IsString(type)) return CompareStrings(UnpackStrings(value), UnpackStrings(reference));
  Comparison result;
  if (!Comparable(value, type, reference, reference_type, &result.reason)) return result;
  if ((type->kind == Kind::kComplex) != (reference_type->kind == Kind::kComplex)) return Unlike(value, reference);
  const aclDataType coarser = Coarser(reference.type, value.type) ? reference.type : value.type;
  return CompareNumbers(value, *type, reference, *reference_type, coarser, limits, computed_in);
}

std::string DistanceText(const Comparison& c) {
  if (!c.comparable) return "";
  std::string text = fmt::format("max abs {:.6g}, max rel {:.6g}, cosine {:.9f}", c.max_abs, c.max_rel, c.cosine);
  if (c.worst) {
    text += fmt::format(", worst at {}: {:.9g} where the reference has {:.9g}", DimsText(*c.worst), c.worst_value,
                        c.worst_reference);
  }
  return text;
}

}  // namespace atc::omrun
