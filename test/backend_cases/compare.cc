#include "test/backend_cases/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numeric>

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

// Standard deviation of all values, and their mean.
double Spread(const std::vector<double>& values, double* mean) {
  *mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - *mean) * (value - *mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

std::string CompareForm(const Tensor& expected, const Tensor& found) {
  if (!found.defined()) return "no value";
  if (expected.dtype() == found.dtype() && expected.shape() == found.shape()) return "";
  return fmt::format("expected {} {}, found {} {}", DataTypeName(expected.dtype()), ToString(expected.shape()),
                     DataTypeName(found.dtype()), ToString(found.shape()));
}

}  // namespace

std::string StatisticalDifference(const Tensor& expected, const Tensor& found) {
  if (std::string fault = CompareForm(expected, found); !fault.empty()) return fault;
  const std::vector<double> want = ToDoubles(expected), have = ToDoubles(found);
  if (want.empty()) return "";
  double want_mean, have_mean;
  const double want_spread = Spread(want, &want_mean), have_spread = Spread(have, &have_mean);
  const double error = 5 * std::hypot(want_spread, have_spread) / std::sqrt(static_cast<double>(want.size()));
  if (!(std::abs(want_mean - have_mean) <= error)) {
    return fmt::format("the mean is {}, wanted {} +- {}", have_mean, want_mean, error);
  }
  // The standard error of a deviation is about 1 / sqrt(2) of that of a mean.
  if (!(std::abs(want_spread - have_spread) <= error * std::sqrt(0.5))) {
    return fmt::format("the standard deviation is {}, wanted {} +- {}", have_spread, want_spread,
                       error * std::sqrt(0.5));
  }
  return "";
}

std::string Difference(const Tensor& expected, const Tensor& found) {
  if (std::string fault = CompareForm(expected, found); !fault.empty()) return fault;
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
