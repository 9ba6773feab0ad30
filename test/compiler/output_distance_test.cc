// How far a result is from its reference, of each kind of element.
#include "compiler/output_distance.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

namespace atc {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <typename T>
double Of(DataType dtype, const std::vector<T>& reference, const std::vector<T>& value) {
  return OutputDistance(Tensor::From<T>(dtype, {static_cast<int64_t>(reference.size())}, reference),
                        Tensor::From<T>(dtype, {static_cast<int64_t>(value.size())}, value));
}

TEST_CASE("floats are measured against 1e-4 + 1e-3 of the reference") {
  CHECK(Of<float>(DT_FLOAT, {1, 2}, {1, 2}) == 0);
  CHECK(Of<float>(DT_FLOAT, {0, 0}, {1e-4f, 0}) == Approx(1));
  CHECK(Of<float>(DT_FLOAT, {100}, {100.1001f}) == Approx(1).epsilon(1e-3));
  CHECK(Of<float>(DT_FLOAT, {kNan, kInf}, {kNan, kInf}) == 0);
  CHECK(std::isinf(Of<float>(DT_FLOAT, {kNan}, {0})));
  CHECK(std::isinf(Of<float>(DT_FLOAT, {1}, {kNan})));
  CHECK(std::isinf(Of<float>(DT_FLOAT, {kInf}, {-kInf})));
  CHECK(std::isinf(Of<float>(DT_FLOAT, {kInf}, {65504})));
}

TEST_CASE("a large index that is off by one is wrong, a rounded quantity is not") {
  CHECK(Of<int64_t>(DT_INT64, {1000000}, {1000001}) > 1000);
  CHECK(Of<bool>(DT_BOOL, {true}, {false}) > 1000);
  CHECK(Of<int8_t>(DT_INT8, {7, -3}, {8, -3}) == 1);
  CHECK(Of<uint8_t>(DT_UINT8, {7}, {9}) == 2);
}

TEST_CASE("strings, shapes and sequences have to be the same") {
  CHECK(Of<std::string>(DT_STRING, {"a", "b"}, {"a", "b"}) == 0);
  CHECK(std::isinf(Of<std::string>(DT_STRING, {"a", "b"}, {"a", "c"})));
  const Tensor flat = Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4});
  CHECK(std::isinf(OutputDistance(flat, flat.Reshaped({2, 2}))));
  const Tensor near = Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4.008f});
  CHECK(Of<Tensor>(DT_VARIANT, {flat, flat}, {flat, near}) == Approx(1.95).epsilon(0.01));
  CHECK(std::isinf(Of<Tensor>(DT_VARIANT, {flat, flat}, {flat})));
  CHECK(std::isinf(OutputDistance(flat, Tensor())));
}

TEST_CASE("complex numbers are measured by their parts") {
  using C = std::complex<float>;
  CHECK(Of<C>(DT_COMPLEX64, {C(1, 2)}, {C(1, 2)}) == 0);
  CHECK(Of<C>(DT_COMPLEX64, {C(0, 0)}, {C(0, 1e-4f)}) == Approx(1));
  CHECK(std::isinf(
      OutputDistance(Tensor::From<C>(DT_COMPLEX64, {1}, {C(1, 0)}), Tensor::From<float>(DT_FLOAT, {1}, {1}))));
}

TEST_CASE("elements that are not finite are counted") {
  CHECK(CountNonFinite(Tensor::From<float>(DT_FLOAT, {3}, {1, kNan, -kInf})) == 2);
  CHECK(CountNonFinite(Tensor::From<int64_t>(DT_INT64, {1}, {1})) == 0);
}

}  // namespace
}  // namespace atc
