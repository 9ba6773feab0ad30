// Products with matrices that are laid out for them, or read where they lie, judged by plain sums.
#include "backend/kernels/packed_product.h"

#include "backend/kernels/score_rows.h"
#include "test/backend/kernels/kernel_fixture.h"

using namespace atc;
using namespace atc::kernels;
using namespace atc::test;

namespace {

// Rows of x lie terms + 3 apart.
struct ProductCase {
  int64_t outputs, terms, rows;
  Tensor x;
  MatrixPlace w;

  double At(int64_t r, int64_t o) const {
    double sum = 0;
    for (int64_t t = 0; o < outputs && t < terms; ++t) {
      sum += double{x.Data<float>()[r * (terms + 3) + t]} * w.data[o * w.of_output + t * w.of_term];
    }
    return sum;
  }

  // Of results `pitch` apart, each from `start[o]` on; the worst difference.
  double Worst(const float* y, int64_t pitch, const float* start = nullptr) const {
    double worst = 0;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t o = 0; o < PackedMatrix::Padded(outputs); ++o) {
        worst = std::max(worst, std::abs(At(r, o) + (start == nullptr ? 0 : start[o]) - y[r * pitch + o]));
      }
    }
    return worst;
  }
};

}  // namespace

TEST_CASE("products with a packed matrix are plain sums, however it lay") {
  ProductCase c;
  c.outputs = GENERATE(1, 16, 40, 64, 113, 200);
  c.terms = GENERATE(1, 2, 7, 33);
  c.rows = GENERATE(1, 2, 5, 6, 13);
  c.x = RandomFloats({c.rows, c.terms + 3}, 2);
  const int order = GENERATE(0, 1, 2);  // outputs in rows, terms in rows, nothing side by side
  const Tensor values = RandomFloats({3 * c.outputs, c.terms + 5}, 1);
  const MatrixPlace places[] = {
      {values.Data<float>(), c.terms + 5, 1}, {values.Data<float>(), 1, c.outputs}, {values.Data<float>() + 1, 2 * c.terms, 2}};
  c.w = places[order];
  const PackedMatrix packed(c.w, c.outputs, c.terms);
  const Tensor start = RandomFloats({packed.padded()}, 3);
  const int64_t padded = packed.padded();
  std::vector<float> laid(static_cast<size_t>(padded * c.terms), 9.0f);
  PackMatrix(c.w, c.outputs, c.terms, laid.data());
  ForEachTarget([&] {
    std::vector<float> y(static_cast<size_t>(c.rows * padded), -1.0f);
    packed.Multiply(c.rows, c.x.Data<float>(), c.terms + 3, start.Data<float>(), 0, y.data(), padded);
    CHECK(c.Worst(y.data(), padded, start.Data<float>()) < 1e-5);
    MultiplyPacked(laid.data(), c.outputs, c.terms, c.rows, c.x.Data<float>(), c.terms + 3, y.data(), padded);
    CHECK(c.Worst(y.data(), padded) < 1e-5);
  });
}

TEST_CASE("products with a packed matrix are added to and clipped where asked for, and end where a row does") {
  const int64_t outputs = GENERATE(5, 12, 24, 34, 77), terms = 3, rows = GENERATE(1, 8, 14);
  const bool adds = GENERATE(false, true);
  const Tensor more = RandomFloats({rows, outputs}, 3);
  const Tensor w = RandomFloats({outputs, terms}, 1);
  Tensor x = RandomFloats({rows, terms}, 2);
  x.MutableData<float>()[(rows - 1) * terms] = NAN;  // the whole last row
  const kernels::PackedMatrix packed({w.Data<float>(), terms, 1}, outputs, terms);
  ForEachTarget([&] {
    std::vector<float> y(static_cast<size_t>(rows * outputs + 1), -7.0f);
    packed.MultiplyPart(0, packed.padded(), rows, x.Data<float>(), terms, nullptr, 0, y.data(), outputs, 
                        {adds ? more.Data<float>() : nullptr, {-0.1f, 0.25f}, outputs});
    for (int64_t i = 0; i < (rows - 1) * outputs; ++i) {
      double sum = adds ? more.Data<float>()[i] : 0;
      for (int64_t t = 0; t < terms; ++t) sum += double{x.Data<float>()[i / outputs * terms + t]} * w.Data<float>()[i % outputs * terms + t];
      CHECK(y[static_cast<size_t>(i)] == Approx(std::clamp(sum, -0.1, 0.25)).margin(1e-6));
    }
    for (int64_t i = (rows - 1) * outputs; i < rows * outputs; ++i) CHECK(std::isnan(y[static_cast<size_t>(i)]));
    CHECK(y.back() == -7.0f);
  });
}

TEST_CASE("products with a matrix that is read where it lies are plain sums") {
  ProductCase c;
  c.outputs = GENERATE(16, 48, 64, 112, 128);
  c.terms = GENERATE(1, 2, 9, 40);
  c.rows = GENERATE(1, 2, 6, 7);
  c.x = RandomFloats({c.rows, c.terms + 3}, 2);
  const Tensor values = RandomFloats({c.terms, c.outputs + 7}, 1);
  c.w = {values.Data<float>(), 1, c.outputs + 7};
  ForEachTarget([&] {
    std::vector<float> y(static_cast<size_t>(c.rows * (c.outputs + 2)), -1.0f);
    MultiplyInPlace(c.w.data, c.w.of_term, c.outputs, c.terms, c.rows, c.x.Data<float>(), c.terms + 3, y.data(), c.outputs + 2);
    CHECK(c.Worst(y.data(), c.outputs + 2) < 1e-5);
    for (int64_t r = 0; r < c.rows; ++r) CHECK(y[static_cast<size_t>(r * (c.outputs + 2) + c.outputs)] == -1.0f);
  });
}

TEST_CASE("scores of a row are plain sums") {
  const int64_t count = GENERATE(1, 3, 4, 9), size = GENERATE(1, 8, 16, 33, 100);
  const Tensor query = RandomFloats({size}, 1), keys = RandomFloats({count, size + 5}, 2);
  ForEachTarget([&] {
    std::vector<float> scores(static_cast<size_t>(count) + 1, -1.0f);
    ScoresOfRow(scores.data(), query.Data<float>(), keys.Data<float>(), size + 5, count, size);
    for (int64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (int64_t t = 0; t < size; ++t) sum += double{query.Data<float>()[t]} * keys.Data<float>()[i * (size + 5) + t];
      CHECK(std::abs(sum - scores[static_cast<size_t>(i)]) < 1e-5);
    }
    CHECK(scores.back() == -1.0f);
  });
}
