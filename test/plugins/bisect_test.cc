// An injected wrong rewrite is found and named, among right ones before and after it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/bisect.h"
#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/sample_inputs.h"
#include "test/plugins/opp_folder.h"

using namespace atc;

namespace {

// Constants to fold, equal nodes, a sum, and a chain to fuse.
std::unique_ptr<Graph> Source() {
  auto graph = std::make_unique<Graph>("g");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {4, 4}));
  const auto op = [&](const char* type, const char* name, std::vector<ValueId> in) {
    return graph->Add(type, name, std::move(in), 1).outputs[0];
  };
  const ValueId a = graph->AddConst("a", Tensor::From<float>(DT_FLOAT, {4}, {1, 2, 3, 4}));
  const ValueId b = graph->AddConst("b", Tensor::From<float>(DT_FLOAT, {4}, {0.5f, 0.5f, 0.5f, 0.5f}));
  const ValueId folded = op("Mul", "folded", {op("Mul", "product", {a, b}), b});
  const ValueId equal1 = op("Tanh", "equal1", {x});
  const ValueId equal2 = op("Tanh", "equal2", {x});
  const ValueId sum = op("Add", "sum", {op("Mul", "scaled", {equal1, folded}), equal2});
  graph->Add("NetOutput", "Node_Output", {op("Sigmoid", "last", {op("Relu", "relu", {sum})})}, 0);
  return graph;
}

bool Holds(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

CompileOptions Options() {
  CompileOptions options;
  options.soc_version = "Ascend910B3";
  options.precision_mode = PrecisionMode::kKeepOrigin;
  return options;
}

}  // namespace

TEST_CASE("the wrong rewrite of a user's pass is found and named") {
  const test::OppFolder opp;
  opp.Add("v", "wrong_rewrite.so", "wrong_rewrite");
  const std::unique_ptr<Graph> source = Source();
  for (const PrecisionMode mode : {PrecisionMode::kKeepOrigin, PrecisionMode::kForceFp16}) {
    CompileOptions options = Options();
    options.precision_mode = mode;
    const BisectResult result = Bisect(*source, options, MakeSamples(*source, {}), opp.root().string());
    REQUIRE(result.culprit);
    CHECK(result.culprit->pass == "AddBecomesSub");
    CHECK(result.culprit->stage == "RunCustomPass_AfterInferShape");
    CHECK(Holds(result.culprit->after, "difference"));
    CHECK(Holds(result.culprit->before, "sum"));
    CHECK(result.before.largest <= result.limit);
    CHECK(result.after.largest > result.limit);
    CHECK(result.rewrites > 4);
    CHECK(result.runs <= 3 + static_cast<int>(std::ceil(std::log2(result.rewrites))));
    CHECK(result.Text().find("pass AddBecomesSub at stage RunCustomPass_AfterInferShape") != std::string::npos);
    CHECK(result.Json().find("\"pass\": \"AddBecomesSub\"") != std::string::npos);
  }
}

TEST_CASE("of two hundred rewrites of one pass the one that is wrong is found, in whichever way it is") {
  auto source = std::make_unique<Graph>("g");
  ValueId value = source->AddData("x", 0, TensorDesc(DT_FLOAT, {4}));
  for (int i = 0; i < 200; ++i) {
    const float c = 0.01f * static_cast<float>(i % 17);
    const ValueId constant = source->AddConst("c" + std::to_string(i), Tensor::From<float>(DT_FLOAT, {4}, {c, -c, 2 * c, 0.5f}));
    value = source->Add("Sub", "n" + std::to_string(i), {value, constant}, 1).outputs[0];
    source->producer(value).origin = source->origins().Leaf("n" + std::to_string(i));
    if (i % 20 == 0 && i < 120) value = source->Add("Sigmoid", "s" + std::to_string(i), {value}, 1).outputs[0];
  }
  source->Add("NetOutput", "Node_Output", {value}, 0);
  const test::OppFolder opp;
  opp.Add("v", "one_wrong.so", "one_wrong");
  for (const char* fault : {"wrong constant", "swapped inputs", "dropped node"}) {
    INFO(fault);
    setenv("OPENATC_TEST_FAULT", fault, 1);
    const BisectResult result = Bisect(*source, Options(), MakeSamples(*source, {}), opp.root().string());
    unsetenv("OPENATC_TEST_FAULT");
    REQUIRE(result.culprit);
    CHECK(result.culprit->pass == "SubByNeg");
    CHECK(Holds(result.culprit->before, "n137"));
    CHECK_FALSE(result.culprit->after.empty());  // what the replacement is made of
    CHECK(result.rewrites >= 200);
    CHECK(result.runs <= 3 + static_cast<int>(std::ceil(std::log2(result.rewrites))));
  }
  const BisectResult right = Bisect(*source, Options(), MakeSamples(*source, {}), opp.root().string());
  CHECK_FALSE(right.culprit);
  CHECK(right.rewrites >= 200);
}

TEST_CASE("right rewrites are not blamed") {
  const std::unique_ptr<Graph> source = Source();
  const test::OppFolder none;
  const BisectResult result = Bisect(*source, Options(), MakeSamples(*source, {}), none.root().string());
  CHECK_FALSE(result.culprit);
  CHECK_FALSE(result.off_without());
  CHECK(result.runs == 2);
  CHECK(result.with.largest < 0.1);
  CHECK(result.Text().find("No output is off") != std::string::npos);
}

TEST_CASE("samples are drawn alike in every run, and named inputs must be there") {
  const std::unique_ptr<Graph> source = Source();
  const std::vector<Tensor> a = MakeSamples(*source, {{"x", "", 2, 3}});
  const std::vector<Tensor> b = MakeSamples(*source, {{"x", "", 2, 3}});
  REQUIRE(a.size() == 1);
  CHECK(ToDoubles(a[0]) == ToDoubles(b[0]));
  for (const double value : ToDoubles(a[0])) CHECK((value >= 2 && value < 3));
  CHECK_THROWS_AS(MakeSamples(*source, {{"y", "", 0, 1}}), Error);
}

namespace {

// y = (x * `up`) * `down`, whose middle leaves half floats where `up` is large.
std::unique_ptr<Graph> ScaledTwice(float up, float down) {
  auto graph = std::make_unique<Graph>("g");
  const ValueId x = graph->AddData("x", 0, TensorDesc(DT_FLOAT, {4, 4}));
  const ValueId a = graph->AddConst("up", Tensor::From<float>(DT_FLOAT, {}, {up}));
  const ValueId b = graph->AddConst("down", Tensor::From<float>(DT_FLOAT, {}, {down}));
  const ValueId large = graph->Add("Mul", "large", {x, a}, 1).outputs[0];
  const ValueId sum = graph->Add("Add", "sum", {graph->Add("Mul", "small", {large, b}, 1).outputs[0], x}, 1).outputs[0];
  graph->Add("NetOutput", "Node_Output", {sum, large}, 0);
  return graph;
}

}  // namespace

TEST_CASE("half floats that cannot hold the values are told apart from a wrong rewrite, and do not hide one") {
  CompileOptions options = Options();
  options.precision_mode = PrecisionMode::kForceFp16;
  const std::unique_ptr<Graph> source = ScaledTwice(1e5f, 1e-5f);
  const test::OppFolder none;
  const BisectResult types = Bisect(*source, options, MakeSamples(*source, {}), none.root().string());
  CHECK_FALSE(types.culprit);
  CHECK(types.off_without());
  REQUIRE(types.own_types);
  CHECK(types.own_types->largest <= 1);
  CHECK(types.Json().find("\"verdict\": \"types\"") != std::string::npos);
  CHECK(types.Text().find("--precision_report") != std::string::npos);

  const test::OppFolder opp;
  opp.Add("v", "wrong_rewrite.so", "wrong_rewrite");
  const BisectResult wrong = Bisect(*source, options, MakeSamples(*source, {}), opp.root().string());
  REQUIRE(wrong.culprit);
  CHECK(wrong.in_own_types);
  CHECK(wrong.culprit->pass == "AddBecomesSub");
}

TEST_CASE("that the reference is NaN is told") {
  auto source = std::make_unique<Graph>("g");
  const ValueId x = source->AddData("x", 0, TensorDesc(DT_FLOAT, {2}));
  source->Add("NetOutput", "Node_Output", {source->Add("Sqrt", "root", {x}, 1).outputs[0]}, 0);
  const test::OppFolder none;
  const BisectResult result = Bisect(*source, Options(), MakeSamples(*source, {{"x", "", -2, -1}}), none.root().string());
  CHECK_FALSE(result.culprit);
  CHECK(result.not_finite == 2);
  CHECK(result.Text().find("give other --sample_inputs") != std::string::npos);
}
