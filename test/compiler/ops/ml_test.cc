// Operators of domain ai.onnx.ml. Numbers come from ONNX Runtime 1.32; those that say so are computed by hand.
#include <catch2/catch.hpp>
#include <deque>
#include <limits>

#include "compiler/ir/error.h"
#include "test/compiler/ops/run_op.h"

namespace atc::test {
namespace {

using Fs = std::vector<float>;
using Is = std::vector<int64_t>;
using Ss = std::vector<std::string>;

const Tensor kRows = Floats({2, 2}, {1, -2, 3, 0.5});

Ss Strings(const Tensor& tensor) { return {tensor.Span<std::string>().begin(), tensor.Span<std::string>().end()}; }

TEST_CASE("LinearClassifier") {
  auto y = RunOp("onnx::LinearClassifier", {kRows},
                 {{"coefficients", Fs{1, 0.5, -1, 2, 0.25, -0.75}},
                  {"intercepts", Fs{0.1f, 0.2f, -0.3f}},
                  {"classlabels_ints", Is{5, 7, 9}},
                  {"post_transform", std::string("SOFTMAX")}},
                 2);
  CHECK(ToInts(y[0]) == Is{9, 5});
  CheckClose(y[1], {0.2055552452802658, 0.001530684414319694, 0.7929141521453857, 0.9582065939903259,
                    0.005557029973715544, 0.03623637929558754});
  y = RunOp("onnx::LinearClassifier", {kRows},
            {{"coefficients", Fs{1, 0.5}},
             {"intercepts", Fs{-2}},
             {"classlabels_strings", Ss{"n", "p"}},
             {"post_transform", std::string("LOGISTIC")}},
            2);
  CHECK(Strings(y[0]) == Ss{"n", "p"});
  CheckClose(y[1], {0.8807970285415649, 0.11920297145843506, 0.2227001190185547, 0.7772998809814453});
}

TEST_CASE("LinearRegressor and its probit") {
  auto y = RunOp("onnx::LinearRegressor", {kRows},
                 {{"coefficients", Fs{1, 0.5, -1, 2}}, {"intercepts", Fs{0.5, -0.5}}, {"targets", int64_t{2}}});
  CheckClose(y[0], {0.5, -5.5, 3.75, -2.5});
  // Published quantiles of the normal distribution.
  y = RunOp("onnx::LinearRegressor", {Floats({3, 1}, {0.975f, 0.5f, 0.01f})},
            {{"coefficients", Fs{1}}, {"post_transform", std::string("PROBIT")}});
  CheckClose(y[0], {1.959964, 0, -2.326348}, 2e-5);
}

TEST_CASE("Normalizer") {
  const auto norm = [](const char* how) { return RunOp("onnx::Normalizer", {kRows}, {{"norm", std::string(how)}})[0]; };
  CheckClose(norm("L2"), {0.4472135901451111, -0.8944271802902222, 0.986393928527832, 0.16439898312091827});
  CheckClose(norm("L1"), {1 / 3.0, -2 / 3.0, 6 / 7.0, 1 / 7.0});  // by hand
  CheckClose(norm("MAX"), {1, -2, 1, 1 / 6.0});                   // by hand
  CHECK_THROWS_AS(norm("L3"), Error);
}

TEST_CASE("SVMRegressor") {
  const auto y = RunOp("onnx::SVMRegressor", {kRows},
                       {{"kernel_type", std::string("RBF")},
                        {"kernel_params", Fs{0.5, 0, 0}},
                        {"coefficients", Fs{1, -2}},
                        {"support_vectors", Fs{0, 0, 1, 1}},
                        {"n_supports", int64_t{2}},
                        {"rho", Fs{0.25}}});
  CheckClose(y[0], {0.3098669946193695, 0.020937711000442505});
}

TEST_CASE("SVMClassifier with coupled probabilities and with raw scores") {
  auto y = RunOp("onnx::SVMClassifier", {kRows},
                 {{"kernel_type", std::string("POLY")},
                  {"kernel_params", Fs{0.5, 1, 2}},
                  {"coefficients", Fs{1, -2, 0.5, -0.25, 0.75, 1.5}},
                  {"support_vectors", Fs{0, 0, 1, 1, 2, -1}},
                  {"vectors_per_class", Is{1, 1, 1}},
                  {"rho", Fs{0.25, -0.5, 0.125}},
                  {"classlabels_ints", Is{1, 2, 3}},
                  {"prob_a", Fs{-1, -0.5, -2}},
                  {"prob_b", Fs{0.1f, 0.2f, -0.3f}}},
                 2);
  CHECK(ToInts(y[0]) == Is{1, 2});
  CheckClose(y[1], {0.6148785352706909, 0.334030419588089, 0.05109105631709099, 0, 0.9999998807907104, 0}, 1e-4);
  y = RunOp("onnx::SVMClassifier", {kRows},
            {{"coefficients", Fs{1, -0.5}},
             {"support_vectors", Fs{0, 1, 1, 1}},
             {"vectors_per_class", Is{1, 1}},
             {"rho", Fs{0.25}},
             {"classlabels_ints", Is{8, 9}}},
            2);
  CHECK(ToInts(y[0]) == Is{9, 9});
  CheckClose(y[1], {1.25, -1.25, 1, -1});
}

// x0 <= 2 ? (x1 > 0 ? leaf 3 : leaf 4) : leaf 2
std::vector<std::pair<const char*, AttrValue>> Tree(const char* kind, Is ids, Fs weights) {
  static std::deque<std::string> names;
  const auto name = [&](const char* rest) { return names.emplace_back(std::string(kind) + rest).c_str(); };
  return {{"nodes_treeids", Is{0, 0, 0, 0, 0}},
          {"nodes_nodeids", Is{0, 1, 2, 3, 4}},
          {"nodes_featureids", Is{0, 1, 0, 0, 0}},
          {"nodes_values", Fs{2, 0, 0, 0, 0}},
          {"nodes_modes", Ss{"BRANCH_LEQ", "BRANCH_GT", "LEAF", "LEAF", "LEAF"}},
          {"nodes_truenodeids", Is{1, 3, 0, 0, 0}},
          {"nodes_falsenodeids", Is{2, 4, 0, 0, 0}},
          {name("_treeids"), Is{0, 0, 0}},
          {name("_nodeids"), Is{2, 3, 4}},
          {name("_ids"), ids},
          {name("_weights"), weights}};
}

const Tensor kSamples = Floats({3, 2}, {1, -2, 3, 0.5, 1, 1});

TEST_CASE("TreeEnsembleRegressor") {
  auto attrs = Tree("target", {0, 0, 0}, {1, 2, 4});
  attrs.emplace_back("base_values", Fs{0.5});
  CheckClose(RunOp("onnx::TreeEnsembleRegressor", {kSamples}, attrs)[0], {4.5, 1.5, 2.5});
  // A missing value is less than nothing, so x0 <= 2 fails.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CheckClose(RunOp("onnx::TreeEnsembleRegressor", {Floats({1, 2}, {nan, 1})}, attrs)[0], {1.5});
  attrs.emplace_back("nodes_missing_value_tracks_true", Is{1, 0, 0, 0, 0});
  CheckClose(RunOp("onnx::TreeEnsembleRegressor", {Floats({1, 2}, {nan, 1})}, attrs)[0], {2.5});
}

TEST_CASE("TreeEnsembleClassifier: of several classes, of two by one vote") {
  auto attrs = Tree("class", {0, 1, 2}, {1, 2, 3});
  attrs.emplace_back("classlabels_int64s", Is{10, 20, 30});
  attrs.emplace_back("post_transform", std::string("SOFTMAX"));
  auto y = RunOp("onnx::TreeEnsembleClassifier", {kSamples}, attrs, 2);
  CHECK(ToInts(y[0]) == Is{30, 10, 20});
  // Softmax of (0,0,3), (1,0,0) and (0,2,0), by hand.
  CheckClose(y[1], {0.04527850, 0.04527850, 0.90944302, 0.57611688, 0.21194156, 0.21194156, 0.10650698, 0.78698604,
                    0.10650698});

  attrs = Tree("class", {0, 0, 0}, {0.25, 0.75, 1});
  attrs.emplace_back("classlabels_int64s", Is{10, 20});
  y = RunOp("onnx::TreeEnsembleClassifier", {kSamples}, attrs, 2);
  CHECK(ToInts(y[0]) == Is{20, 10, 20});
  CheckClose(y[1], {0, 1, 0.75, 0.25, 0.25, 0.75});

  attrs = Tree("class", {0, 0, 0}, {-1, 2, 3});
  attrs.emplace_back("classlabels_int64s", Is{10, 20});
  attrs.emplace_back("post_transform", std::string("LOGISTIC"));
  y = RunOp("onnx::TreeEnsembleClassifier", {kSamples}, attrs, 2);
  CHECK(ToInts(y[0]) == Is{20, 10, 20});
  CheckClose(y[1], {0.04742586612701416, 0.9525741338729858, 0.7310585975646973, 0.26894140243530273,
                    0.11920297145843506, 0.8807970285415649});
}

TEST_CASE("trees that are none are refused") {
  auto ring = Tree("target", {0, 0, 0}, {1, 2, 4});
  ring[4].second = Ss{"BRANCH_LEQ", "BRANCH_GT", "BRANCH_GT", "LEAF", "LEAF"};
  ring[5].second = Is{1, 3, 2, 0, 0};  // node 2 leads to itself
  ring[6].second = Is{4, 0, 2, 0, 0};  // node 1 leads back to node 0
  CHECK_THROWS_AS(RunOp("onnx::TreeEnsembleRegressor", {kSamples}, ring), Error);
  auto far = Tree("target", {0, 0, 7}, {1, 2, 4});
  CHECK_THROWS_AS(RunOp("onnx::TreeEnsembleRegressor", {kSamples}, far), Error);
  auto feature = Tree("target", {0, 0, 0}, {1, 2, 4});
  feature[2].second = Is{9, 1, 0, 0, 0};
  CHECK_THROWS_AS(RunOp("onnx::TreeEnsembleRegressor", {kSamples}, feature), Error);
  auto short_list = Tree("target", {0, 0, 0}, {1, 2});
  CHECK_THROWS_AS(RunOp("onnx::TreeEnsembleRegressor", {kSamples}, short_list), Error);
}

// By hand from here on.
TEST_CASE("Imputer, Scaler, FeatureVectorizer, ArrayFeatureExtractor") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CheckClose(RunOp("onnx::Imputer", {Floats({2, 2}, {nan, 1, 2, nan})},
                   {{"imputed_value_floats", Fs{8, 9}}, {"replaced_value_float", nan}})[0],
             {8, 1, 2, 9});
  CheckClose(RunOp("onnx::Scaler", {kRows}, {{"offset", Fs{1}}, {"scale", Fs{2, 4}}})[0], {0, -12, 4, -2});
  CheckClose(RunOp("onnx::FeatureVectorizer", {kRows, Floats({2}, {7, 8})}, {{"inputdimensions", Is{1, 2}}})[0],
             {1, 7, 0, 3, 8, 0});
  const auto y = RunOp("onnx::ArrayFeatureExtractor", {Floats({3}, {5, 6, 7}), Tensor::Ints({2, 0})}, {});
  CHECK(y[0].shape() == Shape{1, 2});
  CheckClose(y[0], {7, 5});
}

TEST_CASE("OneHotEncoder") {
  const Tensor words = Tensor::From<std::string>(DT_STRING, {2}, {"b", "x"});
  CheckClose(RunOp("onnx::OneHotEncoder", {words}, {{"cats_strings", Ss{"a", "b"}}})[0], {0, 1, 0, 0});
  CHECK_THROWS_AS(RunOp("onnx::OneHotEncoder", {words}, {{"cats_strings", Ss{"a", "b"}}, {"zeros", int64_t{0}}}),
                  Error);
  CHECK_THROWS_AS(RunOp("onnx::OneHotEncoder", {words}, {{"cats_int64s", Is{1}}}), Error);
}

TEST_CASE("ZipMap makes maps that DictVectorizer and CastMap read") {
  const auto maps = RunOp("onnx::ZipMap", {kRows}, {{"classlabels_strings", Ss{"z", "a"}}})[0];
  REQUIRE(maps.NumElements() == 2);
  const Tensor map = maps.Data<Tensor>()[0];
  CHECK(Strings(map.Data<Tensor>()[0]) == Ss{"a", "z"});
  CheckClose(map.Data<Tensor>()[1], {-2, 1});
  CheckClose(RunOp("onnx::DictVectorizer", {map}, {{"string_vocabulary", Ss{"z", "q", "a"}}})[0], {1, 0, -2});
  CheckClose(RunOp("onnx::CastMap", {map}, {}, 1, true)[0], {-2, 1});
  CHECK(Strings(RunOp("onnx::CastMap", {map}, {{"cast_to", std::string("TO_STRING")}}, 1, true)[0]) == Ss{"-2", "1"});
}

}  // namespace
}  // namespace atc::test
