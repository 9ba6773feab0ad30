// Bitcast, SumToLike, Tile of opset 1, Dropout in training and TfIdfVectorizer, by hand.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

namespace atc::test {
namespace {

using Is = std::vector<int64_t>;

TEST_CASE("Bitcast to the same, a narrower and a wider type") {
  const Tensor one = Floats({1}, {1});
  CHECK(ToInts(RunOp("Bitcast", {one}, {{"type", DT_INT32}})[0]) == Is{0x3F800000});
  const auto halves = RunOp("Bitcast", {one}, {{"type", DT_UINT16}})[0];
  CHECK(halves.shape() == Shape{1, 2});
  CHECK(ToInts(halves) == Is{0, 0x3F80});
  CHECK(RunOp("Bitcast", {halves}, {{"type", DT_FLOAT}})[0].shape() == Shape{1});
  CHECK_THROWS_AS(RunOp("Bitcast", {halves}, {{"type", DT_DOUBLE}}), Error);
  CHECK_THROWS_AS(RunOp("Bitcast", {one}, {{"type", DT_STRING}}), Error);
}

TEST_CASE("SumToLike undoes broadcasting") {
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  CheckClose(RunOp("SumToLike", {x, Floats({3}, {0, 0, 0})}, {})[0], {5, 7, 9});
  CheckClose(RunOp("SumToLike", {x, Floats({2, 1}, {0, 0})}, {})[0], {6, 15});
  CheckClose(RunOp("SumToLike", {x, Floats({}, {0})}, {})[0], {21});
  CHECK_THROWS_AS(RunOp("SumToLike", {x, Floats({2}, {0, 0})}, {}), Error);
}

TEST_CASE("Tile of opset 1 repeats one axis") {
  const Tensor x = Floats({2, 2}, {1, 2, 3, 4});
  CheckClose(RunOp("onnx::Tile", {x, Floats({}, {2}), Floats({}, {1})}, {}, 1, true)[0], {1, 2, 1, 2, 3, 4, 3, 4});
  CHECK_THROWS_AS(RunOp("onnx::Tile", {x, Floats({}, {2}), Floats({}, {2})}, {}, 1, true), Error);
  CHECK_THROWS_AS(RunOp("onnx::Tile", {x, Floats({}, {-1}), Floats({}, {0})}, {}, 1, true), Error);
}

TEST_CASE("Dropout in training keeps and scales about 1 - ratio of the elements") {
  const Tensor x = Floats({1000}, std::vector<float>(1000, 1));
  const Tensor on = Tensor::From<bool>(DT_BOOL, {}, {true});
  const auto y = RunOp("onnx::Dropout", {x, Floats({}, {0.75f}), on}, {{"opset", int64_t{13}}}, 2);
  int64_t kept = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    CHECK(y[0].Data<float>()[i] == (y[1].Data<bool>()[i] ? 4.0f : 0.0f));
    kept += y[1].Data<bool>()[i];
  }
  CHECK(kept > 190);  // mean 250, deviation 14
  CHECK(kept < 310);
  CHECK_THROWS_AS(RunOp("onnx::Dropout", {x, Floats({}, {1}), on}, {}, 2), Error);
}

TEST_CASE("TfIdfVectorizer counts n-grams with gaps") {
  // Pool: 1-grams 2, 3; 2-grams (2,3), (3,3).
  const auto grams = [](const char* mode, int64_t skips) {
    return RunOp("onnx::TfIdfVectorizer", {Tensor::Ints({2, 3, 3, 2, 3})},
                 {{"mode", std::string(mode)},
                  {"min_gram_length", int64_t{1}},
                  {"max_gram_length", int64_t{2}},
                  {"max_skip_count", skips},
                  {"ngram_counts", Is{0, 2}},
                  {"ngram_indexes", Is{3, 0, 1, 2}},
                  {"pool_int64s", Is{2, 3, 2, 3, 3, 3}},
                  {"weights", std::vector<float>{0.5, 2, 3, 4}}})[0];
  };
  CheckClose(grams("TF", 0), {3, 2, 1, 2});
  CheckClose(grams("TF", 1), {3, 3, 2, 2});  // with one item between: (2,3) and (3,3) once each
  CheckClose(grams("IDF", 0), {2, 3, 4, 0.5});
  CheckClose(grams("TFIDF", 0), {6, 6, 4, 1});
}

}  // namespace
}  // namespace atc::test
