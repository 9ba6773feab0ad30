#include "compiler/output_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

constexpr double kAbsolute = 1e-4;
constexpr double kRelative = 1e-3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Tolerance(DataType dtype, double reference) {
  if (IsFloating(dtype)) return kAbsolute + kRelative * std::abs(reference);
  return dtype == DT_INT8 || dtype == DT_UINT8 ? 1 : kAbsolute;
}

double OfSequences(const Tensor& reference, const Tensor& value) {
  if (value.dtype() != DT_VARIANT || reference.NumElements() != value.NumElements()) return kInfinity;
  double largest = 0;
  for (int64_t i = 0; i < reference.NumElements(); ++i) {
    largest = std::max(largest, OutputDistance(reference.Data<Tensor>()[i], value.Data<Tensor>()[i]));
  }
  return largest;
}

// Pairs of numbers as such.
Tensor Parts(const Tensor& tensor) {
  std::vector<int64_t> dims = tensor.shape().dims();
  dims.push_back(2);
  const DataType part = tensor.dtype() == DT_COMPLEX128  ? DT_DOUBLE
                        : tensor.dtype() == DT_COMPLEX64 ? DT_FLOAT
                                                         : DT_FLOAT16;
  return Tensor(part, Shape(std::move(dims)), tensor.buffer());
}

bool IsComplex(DataType dtype) { return dtype == DT_COMPLEX32 || dtype == DT_COMPLEX64 || dtype == DT_COMPLEX128; }

}  // namespace

double OutputDistance(const Tensor& reference, const Tensor& value) {
  if (!reference.defined() || !value.defined()) return reference.defined() == value.defined() ? 0 : kInfinity;
  if (reference.dtype() == DT_VARIANT) return OfSequences(reference, value);
  if (!(reference.shape() == value.shape())) return kInfinity;
  if (reference.dtype() == DT_STRING || value.dtype() == DT_STRING) return BitEqual(reference, value) ? 0 : kInfinity;
  if (IsComplex(reference.dtype()) != IsComplex(value.dtype())) return kInfinity;
  if (IsComplex(reference.dtype())) return OutputDistance(Parts(reference), Parts(value));
  const std::vector<double> wanted = ToDoubles(Widen(reference));
  const std::vector<double> found = ToDoubles(Widen(value));
  double largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == found[i] || (std::isnan(wanted[i]) && std::isnan(found[i]))) continue;
    const double error = std::abs(found[i] - wanted[i]) / Tolerance(reference.dtype(), wanted[i]);
    if (!(error <= largest)) largest = std::isnan(error) ? kInfinity : error;
  }
  return largest;
}

int64_t CountNonFinite(const Tensor& tensor) {
  if (!tensor.defined() || !IsFloating(tensor.dtype())) return 0;
  const std::vector<double> values = ToDoubles(Widen(tensor));
  return std::count_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
}

}  // namespace atc
