// From sums to 8-bit numbers: what plain code makes of the formulas, above all where rounding is nearly open.
#include "backend/kernels/requantize.h"

#include <random>

#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;           // NOLINT
using namespace atc::kernels;  // NOLINT
using namespace atc::test;     // NOLINT

namespace {

struct Sums {
  int64_t rows, channels;
  ChannelScales scales;
  std::vector<int32_t> sums, corrections;
  std::vector<uint32_t> kinds;

  int32_t At(int64_t row, int64_t c) const {
    return sums[row * channels + c] + (corrections.empty() ? 0 : corrections[(kinds.empty() ? 0 : kinds[row]) * channels + c]);
  }
  float Real(int64_t row, int64_t c) const { return static_cast<float>(At(row, c) * scales.scale[c] + scales.add[c]); }
  SumRows Rows() const {
    return {sums.data(), rows, corrections.empty() ? nullptr : corrections.data(), kinds.empty() ? nullptr : kinds.data()};
  }
};

// Sums whose quotients are spread over the range of 8 bits and beyond; every other one lies as near as sums come to the
// middle between two whole numbers.
Sums MakeSums(int64_t channels, double slope, double shift, float divisor, bool kinds) {
  std::mt19937 random(channels);
  Sums made{101, channels, {}, {}, {}, {}};
  for (int64_t c = 0; c < channels; ++c) {
    made.scales.scale.push_back(slope * divisor * (1 + 0.03 * static_cast<double>(c % 7)));
    made.scales.add.push_back(shift * divisor * (c % 3 - 1));
  }
  if (kinds) {
    for (int64_t i = 0; i < 3 * channels; ++i) made.corrections.push_back(static_cast<int32_t>(random() % 2001) - 1000);
    for (int64_t row = 0; row < made.rows; ++row) made.kinds.push_back(random() % 3);
  }
  for (int64_t row = 0; row < made.rows; ++row) {
    for (int64_t c = 0; c < channels; ++c) {
      const double wanted = static_cast<int>(random() % 700) - 350 + (row % 2 == 0 ? 0.5 : 0.25);
      made.sums.push_back(0);
      const double sum = (wanted * divisor - made.scales.add[c]) / made.scales.scale[c];
      made.sums.back() = static_cast<int32_t>(std::nearbyint(sum)) - made.At(row, c) + static_cast<int32_t>(random() % 3) - 1;
    }
  }
  return made;
}

}  // namespace

TEST_CASE("quantising sums in vectors gives what plain code gives") {
  struct Case {
    double slope, shift;
    float divisor;
    Rounding rounding;
  };
  const Case cases[] = {{1e-2, 3, 0.02f, {0, 7, 0, 255}},
                        {1e-5, 100, 3.7e-3f, {0, 128, 0, 255}},
                        {-3e-4, 0, 1.0f, {0, -5, -128, 127}},
                        {0.5, 0, 0.25f, {0, 1, 1, 200}},        // ties
                        {1e-4, 1e5, 0.1f, {0, 0, -128, 127}},   // the addend outweighs all
                        {1e-3, 1e30, 1e-20f, {0, 3, 0, 255}}};  // and is no number in float
  for (const Case& given : cases) {
    for (const int64_t channels : {1, 5, 8, 16, 17, 24, 40, 144}) {
      for (const bool kinds : {false, true}) {
        Sums made = MakeSums(channels, given.slope, given.shift, given.divisor, kinds);
        Rounding rounding = given.rounding;
        rounding.divisor = given.divisor;
        made.scales.SetRounding(rounding);
        std::vector<uint8_t> expected;
        for (int64_t row = 0; row < made.rows; ++row) {
          for (int64_t c = 0; c < channels; ++c) {
            const float quotient = made.Real(row, c) / given.divisor;
            const double rounded = std::nearbyint(static_cast<double>(quotient)) + rounding.zero;
            expected.push_back(static_cast<uint8_t>(static_cast<int32_t>(
                std::clamp<double>(rounded, rounding.low, rounding.high))));
          }
        }
        ForEachTarget([&] {
          std::vector<uint8_t> found(expected.size(), 0xA5);
          QuantizeRows(found.data(), made.Rows(), made.scales, rounding);
          INFO(channels << " channels, slope " << given.slope << ", shift " << given.shift);
          CHECK(found == expected);
        });
      }
    }
  }
}

TEST_CASE("scaling sums in vectors gives what plain code gives") {
  for (const int64_t channels : {1, 8, 13, 64}) {
    const Sums made = MakeSums(channels, 1e-3, 5, 0.3f, true);
    std::vector<float> expected;
    for (int64_t row = 0; row < made.rows; ++row) {
      for (int64_t c = 0; c < channels; ++c) expected.push_back(made.Real(row, c));
    }
    ForEachTarget([&] {
      std::vector<float> found(expected.size(), NAN);
      ScaleRows(found.data(), made.Rows(), made.scales);
      CHECK(found == expected);
    });
  }
}
