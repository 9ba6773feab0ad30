#include "test/backend_cases/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace atc::backend_cases {
namespace {

// Real and imaginary parts as one tensor of twice the elements; others as they are.
Tensor AsReal(const Tensor& tensor) {
  if (tensor.dtype() != DT_COMPLEX64 && tensor.dtype() != DT_COMPLEX128) return tensor;
  return Tensor(tensor.dtype() == DT_COMPLEX64 ? DT_FLOAT : DT_DOUBLE, {2 * tensor.NumElements()}, tensor.buffer());
}

std::string CompareFloats(const Tensor& expected, const Tensor& found) {
  const std::vector<double> want = ToDoubles(AsReal(expected));
  const std::vector<double> have = ToDoubles(AsReal(found));
  const double rtol = expected.dtype() == DT_BF16 ? 0x1p-7 : 1e-3;
  int64_t differing = 0;
  size_t worst = 0;
  double worst_excess = -1;
  for (size_t i = 0; i < want.size(); ++i) {
    if ((std::isnan(want[i]) && std::isnan(have[i])) || want[i] == have[i]) continue;
    const double excess = std::abs(want[i] - have[i]) - (1e-5 + rtol * std::abs(want[i]));
    if (excess <= 0) continue;
    if (differing++ == 0 || excess > worst_excess) {
      worst = i;
      worst_excess = excess;
    }
  }
  if (differing == 0) return "";
  return fmt::format("{} of {} elements differ, most at {}: expected {}, found {}", differing, want.size(), worst,
                     want[worst], have[worst]);
}

std::string CompareStrings(const Tensor& expected, const Tensor& found) {
  for (int64_t i = 0; i < expected.NumElements(); ++i) {
    const std::string& want = expected.Data<std::string>()[i];
    const std::string& have = found.Data<std::string>()[i];
    if (want != have) return fmt::format("element {}: expected '{}', found '{}'", i, want, have);
  }
  return "";
}

std::string CompareExactly(const Tensor& expected, const Tensor& found) {
  if (BitEqual(expected, found)) return "";
  const std::vector<double> want = ToDoubles(expected);
  const std::vector<double> have = ToDoubles(found);
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] != have[i] && !(std::isnan(want[i]) && std::isnan(have[i]))) {
      return fmt::format("element {}: expected {}, found {}", i, want[i], have[i]);
    }
  }
  return "";  // zeros of either sign, NaNs of any pattern
}

}  // namespace

std::string Difference(const Tensor& expected, const Tensor& found) {
  if (!found.defined()) return "no value";
  if (expected.dtype() != found.dtype() || !(expected.shape() == found.shape())) {
    return fmt::format("expected {} {}, found {} {}", DataTypeName(expected.dtype()), ToString(expected.shape()),
                       DataTypeName(found.dtype()), ToString(found.shape()));
  }
  switch (expected.dtype()) {
    case DT_STRING: return CompareStrings(expected, found);
    case DT_VARIANT:
      for (int64_t i = 0; i < expected.NumElements(); ++i) {
        const std::string difference = Difference(expected.Data<Tensor>()[i], found.Data<Tensor>()[i]);
        if (!difference.empty()) return fmt::format("value {} of the sequence: {}", i, difference);
      }
      return "";
    case DT_FLOAT:
    case DT_DOUBLE:
    case DT_FLOAT16:
    case DT_BF16:
    case DT_COMPLEX64:
    case DT_COMPLEX128: return CompareFloats(expected, found);
    default: return CompareExactly(expected, found);
  }
}

}  // namespace atc::backend_cases
