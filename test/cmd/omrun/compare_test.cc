// Expected numbers are worked out by hand; the tolerance rule is that of numpy.allclose.
#include "cmd/omrun/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "cmd/omrun/random_data.h"
#include "cmd/omrun/statistics.h"

namespace atc::omrun {
namespace {

template <class T>
Tensor Make(aclDataType type, const std::vector<T>& values) {
  Tensor tensor{type, {static_cast<int64_t>(values.size())}, std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}
Tensor Floats(const std::vector<float>& values) { return Make(ACL_FLOAT, values); }

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("distances and cosine") {
  const Comparison c = Compare(Floats({3, 0, 1}), Floats({4, 0, 1}), {});
  CHECK(c.comparable);
  CHECK_FALSE(c.match);
  CHECK(c.max_abs == 1);
  CHECK(c.max_rel == 0.25);
  CHECK(c.outside == 1);
  CHECK(c.cosine == Approx(13 / std::sqrt(170.0)));
}

TEST_CASE("limits") {
  const Tensor value = Floats({1.1f, 10}), reference = Floats({1, 10});
  CHECK_FALSE(Compare(value, reference, {}).match);
  CHECK(Compare(value, reference, {0.11, std::nullopt, std::nullopt}).match);
  CHECK(Compare(value, reference, {std::nullopt, 0.11, std::nullopt}).match);
  CHECK_FALSE(Compare(value, reference, {0.09, std::nullopt, std::nullopt}).match);
  CHECK(Compare(value, reference, {std::nullopt, std::nullopt, 0.999}).match);   // the cosine alone
  CHECK_FALSE(Compare(value, reference, {0.0, 0.0, 0.999}).match);               // both
  CHECK_FALSE(Compare(Floats({1, -1}), Floats({1, 1}), {9.0, 9.0, 0.5}).match);  // cosine 0
  CHECK(Compare(Floats({1, 1.0005f}), Floats({1, 1}), {}).match);                // within 1e-3 and 1e-4
}

TEST_CASE("without limits the precision of the computation counts, not only the type of the output") {
  const Tensor value = Floats({1.008f}), reference = Floats({1});
  const Comparison half = Compare(value, reference, {}, ACL_FLOAT16);  // within 1e-2 and 1e-3
  CHECK(half.match);
  CHECK(half.judged_as == ACL_FLOAT16);
  CHECK(half.tolerance.rtol == 1e-2);
  const Comparison full = Compare(value, reference, {}, ACL_FLOAT);
  CHECK_FALSE(full.match);
  CHECK(full.judged_as == ACL_FLOAT);
  CHECK_FALSE(Compare(value, reference, {}).match);                         // the device tells none
  CHECK(Compare(value, reference, {}, ACL_DOUBLE).judged_as == ACL_FLOAT);  // never finer than the output
  CHECK_FALSE(Compare(Floats({1.02f}), reference, {}, ACL_FLOAT16).match);  // beyond both
  CHECK(Compare(Floats({1.02f}), reference, {}, ACL_BF16).match);
  CHECK_FALSE(Compare(Make<int32_t>(ACL_INT32, {2}), Make<int32_t>(ACL_INT32, {1}), {}, ACL_BF16).match);
  // Limits by type are of the output's type.
  Limits limits;
  limits.rtol_of = {{ACL_FLOAT, 1e-3}};
  const Comparison given = Compare(value, reference, limits, ACL_FLOAT16);
  CHECK_FALSE(given.match);
  CHECK(given.judged_as == ACL_DT_UNDEFINED);
  limits.rtol_of = {{ACL_FLOAT16, 0.0}};
  CHECK(Compare(value, reference, limits, ACL_FLOAT16).match);
}

TEST_CASE("NaN and infinity match themselves alone") {
  CHECK(Compare(Floats({kNan, kInf, -kInf, 1}), Floats({kNan, kInf, -kInf, 1}), {}).match);
  const Comparison c = Compare(Floats({kNan, kInf, kInf, 1}), Floats({1, -kInf, 3, kNan}), {});
  CHECK(c.special == 4);
  CHECK_FALSE(c.match);
  CHECK_FALSE(Compare(Floats({kNan}), Floats({1}), {std::nullopt, std::nullopt, 0.0}).match);
}

TEST_CASE("zeros and empty tensors") {
  CHECK(Compare(Floats({0, 0}), Floats({0, 0}), {std::nullopt, std::nullopt, 1.0}).match);
  CHECK(Compare(Floats({0, 1e-9f}), Floats({0, 0}), {std::nullopt, std::nullopt, 0.9}).cosine == 0);
  CHECK(Compare(Floats({}), Floats({}), {}).match);
}

TEST_CASE("64-bit integers are subtracted exactly") {
  const int64_t big = int64_t{1} << 60;
  const Comparison c = Compare(Make<int64_t>(ACL_INT64, {big + 1}), Make<int64_t>(ACL_INT64, {big}), {0.0, 0.0, {}});
  CHECK(c.max_abs == 1);
  CHECK_FALSE(c.match);
  const int64_t least = std::numeric_limits<int64_t>::min();
  CHECK(Compare(Make<int64_t>(ACL_INT64, {-1 - least}), Make<int64_t>(ACL_INT64, {least}), {}).max_abs == 0x1p64);
}

TEST_CASE("types and shapes must agree") {
  const Comparison types = Compare(Floats({1}), Make<int32_t>(ACL_INT32, {1}), {});
  CHECK_FALSE(types.comparable);
  CHECK(types.reason == "float32 [1] where the reference is int32 [1]");
  const Comparison shapes = Compare(Floats({1, 2}), Floats({1}), {});
  CHECK(shapes.reason == "float32 [2] where the reference is float32 [1]");
}

TEST_CASE("quantiles are those of numpy.percentile") {
  // numpy.percentile([4, 1, 3, 2], [50, 90, 99]) = 2.5, 3.7, 3.97
  const Latency latency = Summarize({4, 1, 3, 2});
  CHECK(latency.min == 1);
  CHECK(latency.median == 2.5);
  CHECK(latency.p90 == Approx(3.7));
  CHECK(latency.p99 == Approx(3.97));
  CHECK(Summarize({7}).p99 == 7);
}

TEST_CASE("random data follows its documented rule") {
  // The C++ standard fixes the 10000th draw of a default-seeded std::mt19937_64; a default seed is 5489.
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;
  const Tensor tensor = RandomTensor(ACL_DOUBLE, {10000}, 5489 - kGolden, 0);
  const double expected = std::ldexp(static_cast<double>(9981545732273789042u >> 11), -52) - 1;
  CHECK(ScalarAt(*FindElementType(ACL_DOUBLE), tensor.bytes.data(), 9999) == expected);
  for (const aclDataType code :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_UINT8, ACL_BOOL, ACL_INT4, ACL_FLOAT8_E4M3FN, ACL_COMPLEX64}) {
    const ElementType& type = *FindElementType(code);
    const Tensor data = RandomTensor(code, {10, 100}, 1, 2);
    const bool real = type.kind == Kind::kFloat || type.kind == Kind::kComplex;
    double least = 0, largest = 0;
    for (uint64_t i = 0; i < ScalarsOf(type, 1000); ++i) {
      least = std::min(least, ScalarAt(type, data.bytes.data(), i));
      largest = std::max(largest, ScalarAt(type, data.bytes.data(), i));
    }
    INFO(type.name);
    CHECK(least >= (real ? -1 : 0));
    CHECK(least < (real ? -0.7 : 1));
    CHECK(largest < (real ? 1 : 8));
    CHECK(largest > 0.7);
  }
  CHECK(RandomTensor(ACL_FLOAT, {4}, 1, 0).bytes != RandomTensor(ACL_FLOAT, {4}, 1, 1).bytes);
  CHECK(RandomTensor(ACL_FLOAT, {4}, 1, 0).bytes != RandomTensor(ACL_FLOAT, {4}, 2, 0).bytes);
}

TEST_CASE("the worst element is told by its index, one that is special first") {
  Tensor value = Floats({0, 1, 2, 3, 4, 5}), reference = Floats({0, 1, 2.5f, 3, 4, 9});
  value.dims = reference.dims = {2, 3};
  const Comparison c = Compare(value, reference, {});
  CHECK(*c.worst == Dims{1, 2});
  CHECK(c.worst_value == 5);
  CHECK(c.worst_reference == 9);
  CHECK_THAT(DistanceText(c), Catch::Contains("worst at [1, 2]: 5 where the reference has 9"));
  value = Floats({kNan, 100});
  CHECK(*Compare(value, Floats({1, 1}), {}).worst == Dims{0});
  CHECK_FALSE(Compare(Floats({1}), Floats({1}), {}).worst);
}

TEST_CASE("without limits the tolerance goes by the element type") {
  CHECK(Compare(Floats({1.0009f}), Floats({1}), {}).match);
  CHECK_FALSE(Compare(Make<double>(ACL_DOUBLE, {1.0009}), Make<double>(ACL_DOUBLE, {1}), {}).match);
  CHECK_FALSE(Compare(Make<int32_t>(ACL_INT32, {1000001}), Make<int32_t>(ACL_INT32, {1000000}), {}).match);
  // 0x3C00 is 1 and 0x3C08 is 1 + 8 / 1024 in float16.
  CHECK(Compare(Make<uint16_t>(ACL_FLOAT16, {0x3C08}), Make<uint16_t>(ACL_FLOAT16, {0x3C00}), {}).match);
  Limits limits;
  limits.rtol_of = {{ACL_FLOAT16, 1e-4}};
  CHECK_FALSE(Compare(Make<uint16_t>(ACL_FLOAT16, {0x3C08}), Make<uint16_t>(ACL_FLOAT16, {0x3C00}), limits).match);
  CHECK(Compare(Floats({1.0009f}), Floats({1}), limits).match);
  // Of two types the coarser one's holds.
  CHECK(CompareValues(Floats({1.009f}), Make<uint16_t>(ACL_FLOAT16, {0x3C00}), {}).match);
}

TEST_CASE("one metric may judge alone") {
  const Tensor value = Floats({3, 0, 1}), reference = Floats({4, 0, 1});
  Limits limits;
  // Sum of differences 1 of 5; root of 1 over that of 17.
  const std::pair<Metric, double> figures[] = {
      {Metric::kL0, 1}, {Metric::kL1, 0.2}, {Metric::kL2, std::sqrt(1 / 17.0)}, {Metric::kLInf, 1}, {Metric::kCos, 1 - 13 / std::sqrt(170.0)}};
  for (const auto& [metric, figure] : figures) {
    limits.metric = metric;
    limits.threshold = figure * 1.001;
    CHECK(Compare(value, reference, limits).match);
    limits.threshold = figure * 0.999;
    CHECK_FALSE(Compare(value, reference, limits).match);
  }
}

}  // namespace atc::omrun
