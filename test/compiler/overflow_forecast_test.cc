// Synthetic models of which it is known by hand where values leave fp16 first.
#include "compiler/overflow_forecast.h"

#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "compiler/precision/choose_dtypes.h"
#include "compiler/sample_inputs.h"
#include "compiler/value_ranges.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

struct Forecast : PassFixture {
  // Chooses types on a copy and forecasts.
  OverflowForecasts Run(std::vector<ValueRange> ranges, std::vector<Tensor> samples = {},
                        PrecisionMode mode = PrecisionMode::kForceFp16, const PrecisionOptions& options = {}) {
    const std::unique_ptr<Graph> floats = graph.Clone();
    ChooseDtypes(graph, mode, {}, journal, options);
    std::vector<std::vector<Tensor>> sets;
    if (!samples.empty()) sets.push_back(std::move(samples));
    return ForecastOverflow(*floats, graph, ranges, sets);
  }
  ValueId Scale(const char* name, ValueId x, float by) {
    return Op("Mul", name, {x, graph.AddConst(std::string(name) + "_by", Tensor::From<float>(DT_FLOAT, {1}, {by}))});
  }
};

Tensor Values(std::vector<float> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::From<float>(DT_FLOAT, {count}, values);
}

}  // namespace

TEST_CASE("by ranges: the first node whose bound passes 65504, and not one before") {
  Forecast f;
  ValueId x = f.Scale("first", f.Input({2}), 200);  // to 20000
  x = f.Scale("second", x, 3);                      // to 60000
  x = f.Scale("third", x, 2);                       // to 120000
  f.Output({f.Scale("fourth", x, 0.001f)});
  const OverflowForecasts found = f.Run({{-100, 100}});
  CHECK(found.ranges.node == "third");
  CHECK(found.ranges.high == Approx(120000));
  CHECK(found.ranges.fp16);
  CHECK(found.verdict().node == "third");
  CHECK(found.unbounded.empty());
}

TEST_CASE("by ranges: sums of products are bounded by the weights") {
  Forecast f;
  // From 0 to 100: 2 x 100 x 250 = 50000 by the first column, 30000 by the second; from -100 on 75000.
  const ValueId w = f.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {3, 2}, {250, 100, 250, 100, -250, 100}));
  f.Output({f.Op("MatMulV2", "product", {f.Input({1, 3}), w})});
  CHECK_FALSE(f.Run({{0, 100}}).ranges.found());  // at most 50000
  Forecast g;
  const ValueId v = g.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {3, 1}, {250, 250, 250}));
  g.Output({g.Op("MatMulV2", "product", {g.Input({1, 3}), v})});
  const OverflowForecasts found = g.Run({{-100, 100}});
  CHECK(found.ranges.node == "product");
  CHECK(found.ranges.high == Approx(75000));
}

TEST_CASE("by ranges: a bound of a squashing function stops the growth") {
  Forecast f;
  ValueId x = f.Op("Sigmoid", "squash", {f.Scale("grow", f.Input({2}), 600)});
  f.Output({f.Scale("last", x, 60000)});
  CHECK_FALSE(f.Run({{-100, 100}}).ranges.found());
}

TEST_CASE("by constants: the one beyond, also where it is clipped as it is narrowed") {
  Forecast f;
  const ValueId big = f.graph.AddConst("big", Values({1, 70000}));
  f.Output({f.Op("Add", "sum", {f.Input({2}), big})});
  const OverflowForecasts found = f.Run({{}});
  CHECK(found.constants.node == "big");
  CHECK(found.constants.fp16);
  CHECK(found.constants.high == 70000);
  CHECK(found.verdict().node == "big");
  CHECK(found.unbounded == "Data_0");
}

TEST_CASE("by samples: what happens, not what bounds allow") {
  const auto model = [](Forecast& f) {
    const ValueId x = f.Scale("first", f.Input({2}), 1000);
    f.Output({f.Scale("second", x, 10)});
  };
  Forecast small, large;
  model(small);
  model(large);
  const OverflowForecasts none = small.Run({{0, 1000}}, {Values({1, 6})});
  CHECK(none.ranges.node == "first");
  CHECK_FALSE(none.samples.found());
  CHECK_FALSE(none.verdict().found());  // samples speak louder
  CHECK(none.outputs_finite);
  const OverflowForecasts found = large.Run({{0, 1000}}, {Values({1, 7})});
  CHECK(found.samples.node == "second");
  CHECK(found.samples.high == 70000);
  CHECK_FALSE(found.outputs_finite);
}

TEST_CASE("by samples: an input beyond fp16 is the first") {
  Forecast f;
  f.Output({f.Op("Neg", "neg", {f.Input({2})})});
  CHECK(f.Run({{}}, {Values({1, 1e6f})}).samples.node == "Data_0");
}

TEST_CASE("by samples: a mask that is clipped with its constant is no overflow") {
  Forecast f;
  const ValueId mask = f.graph.AddConst("mask", Values({-1e9f}));
  f.Output({f.Op("Mul", "masked", {f.Input({2}), mask})});
  const OverflowForecasts found = f.Run({{0, 1}}, {Values({0, 1})});
  CHECK(found.constants.node == "mask");
  CHECK_FALSE(found.samples.found());
  CHECK(found.outputs_finite);
}

TEST_CASE("by samples: a constant that is not clipped is the first, unless the model has its infinities itself") {
  const auto run = [](float mask) {
    Forecast f;
    f.Output({f.Op("Mul", "masked", {f.Input({2}), f.graph.AddConst("mask", Values({mask}))})});
    PrecisionOptions options;
    options.clip_weights = false;
    return f.Run({{0, 1}}, {Values({0, 1})}, PrecisionMode::kForceFp16, options);
  };
  const OverflowForecasts found = run(-1e9f);
  CHECK(found.samples.node == "mask");
  CHECK(found.samples.low == -1e9f);
  CHECK(found.verdict().node == "mask");
  CHECK_FALSE(found.outputs_finite);
  CHECK_FALSE(run(-std::numeric_limits<float>::infinity()).samples.found());
}

TEST_CASE("by samples: an output that is NaN by an overflow is not finite") {
  Forecast f;
  const ValueId big = f.Scale("grow", f.Input({2}), 1000);
  f.Output({f.Op("Sub", "difference", {big, f.Op("Relu", "same", {big})})});
  const OverflowForecasts found = f.Run({{0, 100}}, {Values({70, 70})});
  CHECK(found.samples.node == "grow");
  CHECK_FALSE(found.outputs_finite);
}

TEST_CASE("what is kept in float does not overflow; a later node in fp16 does") {
  Forecast f;
  const ValueId conv = f.Conv("conv", f.Scale("grow", f.Input({1, 1, 3, 3}), 1e5f), f.Weights({1, 1, 3, 3}, 1, 1, 2));
  f.Output({f.Op("Relu", "after", {conv})});
  const std::vector<float> ones(9, 1.0f);
  const OverflowForecasts found =
      f.Run({{0, 1}}, {Tensor::From<float>(DT_FLOAT, {1, 1, 3, 3}, ones)}, PrecisionMode::kAllowFp32ToFp16);
  CHECK(found.ranges.node == "conv");  // "grow" is float
  CHECK(found.ranges.fp16);
  CHECK(found.samples.node == "grow");  // its Cast to fp16 makes the infinity
  Forecast g;
  g.Output({g.Scale("grow", g.Input({2}), 1e6f)});
  const OverflowForecasts would = g.Run({{0, 1}}, {Values({0, 1})}, PrecisionMode::kKeepOrigin);
  CHECK(would.ranges.node == "grow");
  CHECK_FALSE(would.ranges.fp16);
  CHECK(would.samples.node == "grow");
  CHECK_FALSE(would.samples.fp16);
  CHECK(would.outputs_finite);
}

TEST_CASE("of several samples any may show it, the first node of all in the order of the graph") {
  Forecast f;
  const ValueId x = f.Scale("first", f.Input({2}), 1000);
  f.Output({f.Scale("second", x, 10)});
  const std::unique_ptr<Graph> floats = f.graph.Clone();
  ChooseDtypes(f.graph, PrecisionMode::kForceFp16, {}, f.journal);
  const OverflowForecasts found =
      ForecastOverflow(*floats, f.graph, {{0, 1000}}, {{Values({1, 2})}, {Values({1, 7})}, {Values({70, 80})}});
  CHECK(found.samples.node == "first");
  CHECK(found.samples.high == 80000);
  CHECK_FALSE(found.outputs_finite);
}

TEST_CASE("samples of ranges come with both ends; several items of an input are several samples") {
  Forecast f;
  f.Output({f.Op("Add", "sum", {f.Input({2}), f.Input({2})})});
  const auto first = [&](const std::vector<SampleInput>& items) {
    std::vector<std::pair<float, float>> values;
    for (const std::vector<Tensor>& sample : MakeSampleSets(f.graph, items)) {
      values.push_back({sample[0].Data<float>()[0], sample[1].Data<float>()[0]});
    }
    return values;
  };
  const auto ends = first({{"Data_0", "", 0, 12}, {"Data_1", "", 5, 5}});
  REQUIRE(ends.size() == 3);
  CHECK(ends[1] == std::pair(0.0f, 5.0f));
  CHECK(ends[2] == std::pair(12.0f, 5.0f));
  const auto several = first({{"Data_0", "", 1, 1}, {"Data_1", "", 5, 5}, {"Data_0", "", 2, 2}});
  CHECK(several == std::vector{std::pair(1.0f, 5.0f), std::pair(2.0f, 5.0f)});
  CHECK_THROWS_WITH(first({{"Data_0", "", 1, 1},
                           {"Data_0", "", 1, 1},
                           {"Data_0", "", 1, 1},
                           {"Data_1", "", 1, 1},
                           {"Data_1", "", 1, 1}}),
                    Catch::Contains("E10001"));
  CHECK_THROWS_WITH(MakeSamples(f.graph, {{"Data_0", "", 1, 1}, {"Data_0", "", 2, 2}}), Catch::Contains("2 times"));
}

TEST_CASE("NaN in files and types that are narrowed are told in one warning") {
  const std::string folder = std::filesystem::temp_directory_path() / ("openatc_samples_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto save = [&](const char* name, const char* type, const auto& values) {
    std::string head = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (2,), }";
    head.resize(117, ' ');
    std::ofstream out(folder + "/" + name, std::ios::binary);
    out << "\x93NUMPY" << '\1' << '\0' << 'v' << '\0' << head << '\n';
    out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(sizeof(values)));
    return folder + "/" + name;
  };
  const std::string wide = save("wide.npy", "<f8", std::array{0.1, std::numeric_limits<double>::quiet_NaN()});
  const std::string plain = save("plain.npy", "<f4", std::array{1.0f, 2.0f});
  Forecast f;
  f.Output({f.Op("Add", "sum", {f.Input({2}), f.Input({2})})});
  Diagnostics warnings;
  const auto sets =
      MakeSampleSets(f.graph, {{"Data_0", wide, 0, 0}, {"Data_1", plain, 0, 0}, {"Data_1", plain, 0, 0}}, &warnings);
  CHECK(sets[1][0].Data<float>()[0] == 0.1f);
  REQUIRE(warnings.all().size() == 1);
  CHECK(warnings.all()[0].code == "W19999");
  CHECK(warnings.all()[0].args[0].second ==
        "--sample_inputs: " + wide +
            " holds NaN in 1 of 2 elements, and what is computed from NaN tells nothing of ranges or "
            "differences. " +
            wide + " holds DT_DOUBLE, which is rounded to DT_FLOAT, the type of the input 'Data_0'.");
  Diagnostics none;
  MakeSamples(f.graph, {{"Data_0", plain, 0, 0}, {"Data_1", "", 0, 1}}, &none);
  CHECK(none.all().empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("by ranges: powers, reciprocals, sums of squares, running sums and norms have bounds") {
  struct Row {
    const char* type;
    ValueRange in;
    double low, high;  // by hand
    std::vector<Tensor> more = {};
  };
  const auto ints = [](std::vector<int64_t> values) { return Tensor::Ints(values); };
  const Row rows[] = {
      {"Pow", {-300, 200}, 0, 90000, {Values({2})}},
      {"Reciprocal", {1e-6, 1e-5}, 1e5, 1e6},
      {"Rsqrt", {1e-12, 1}, 1, 1e6},
      {"Softplus", {-1000, 1000}, 0, 1000},
      {"Elu", {-1000, 70000}, -1, 70000},
      {"Log", {1, std::exp(3.0)}, 0, 3},
      {"Floor", {-1.5, 2.5}, -2, 2},
      {"Expm1", {0, std::log(70001.0)}, 0, 70000},
      {"Cumsum", {-1, 10}, -4, 40, {ints({0})}},
      {"onnx::ReduceSumSquare", {-3, 5}, 0, 100, {ints({0})}},
      {"onnx::ReduceL2", {-3, 5}, 0, 10, {ints({0})}},
      {"onnx::ReduceL1", {-3, 5}, 0, 20, {ints({0})}},
  };
  for (const Row& row : rows) {
    PassFixture f;
    std::vector<ValueId> inputs = {f.Input({4})};
    for (const Tensor& tensor : row.more) inputs.push_back(f.graph.AddConst("c", tensor));
    const ValueId y = f.Op(row.type, "y", inputs);
    f.Output({y});
    const ValueRange found = FindRanges(f.graph, {row.in})[y];
    INFO(row.type);
    CHECK(found.low == Approx(row.low).margin(1e-9));
    CHECK(found.high == Approx(row.high).margin(1e-9));
  }
}

TEST_CASE("by ranges: a norm over n elements is at most sqrt(n - 1) times its scale, and its shift") {
  PassFixture f;
  const ValueId y = f.Op("LayerNormV3", "norm",
                         {f.Input({2, 5}), f.graph.AddConst("g", Values({1, -3, 1, 1, 1})),
                          f.graph.AddConst("b", Values({0, 0, 0, 0, 10}))});
  f.graph.producer(y).attrs.Set("begin_norm_axis", int64_t{1});
  f.graph.producer(y).attrs.Set("begin_params_axis", int64_t{1});
  f.Output({y});
  const ValueRange found = FindRanges(f.graph, {{}})[y];
  CHECK(found.low == Approx(-6));   // 2 x 3
  CHECK(found.high == Approx(16));  // 2 x 3 + 10
}

TEST_CASE("by samples: what the model itself computes in fp16 is judged by its values in float") {
  const auto run = [](const char* type, float value) {
    Forecast f;
    const ValueId x = f.graph.AddData("x", 0, TensorDesc(DT_FLOAT16, {2}));
    f.Output({f.Op("Abs", "after", {f.Op(type, "y", {x})})});
    return f.Run({{0, 12}}, {Narrow(Values({1, value}), DT_FLOAT16)});
  };
  const OverflowForecasts found = run("Exp", 12);
  CHECK(found.samples.node == "y");
  CHECK(found.samples.fp16);
  CHECK(found.samples.high == Approx(162754.79).epsilon(1e-5));  // e^12
  CHECK_FALSE(found.outputs_finite);
  CHECK_FALSE(run("Exp", 11).samples.found());        // 59874
  CHECK_FALSE(run("Reciprocal", 0).samples.found());  // infinite whatever the type
}

TEST_CASE("by samples: of a branch or a body the node inside is named") {
  const bool which = GENERATE(true, false);
  Forecast f;
  const ValueId cond = f.graph.AddData("cond", 0, TensorDesc(DT_BOOL, Shape{}, FORMAT_ND));
  const ValueId x = f.graph.AddData("x", 1, TensorDesc(DT_FLOAT, {2}, FORMAT_ND));
  Node& choice = f.graph.Add("If", "choice", {cond, x}, 1);
  for (const char* name : {"then_branch", "else_branch"}) {
    Graph& branch = f.graph.AddSubgraph(choice, name);
    const ValueId in = branch.AddData(std::string(name) + "_x", 0, TensorDesc(DT_FLOAT, {2}, FORMAT_ND));
    branch.producer(in).attrs.Set("_parent_node_index", int64_t{1});
    ValueId y = in;
    // 300, then 90000 of 1; the other branch stays within.
    for (int step = 0; step < 2; ++step) {
      const float by = name == std::string("then_branch") ? 300.0f : 2.0f;
      const std::string node = name + ("_scale" + std::to_string(step));
      y = branch.Add("Mul", node, {y, branch.AddConst(node + "_by", Tensor::From<float>(DT_FLOAT, {1}, {by}))}, 1)
              .outputs[0];
    }
    branch.Add("NetOutput", "", {y}, 0);
  }
  f.Output({choice.outputs[0]});
  const Tensor condition = Tensor::From<uint8_t>(DT_BOOL, Shape(std::vector<int64_t>{}), {which});
  const OverflowForecasts found = f.Run({{}, {}}, {condition, Values({1, -1})});
  CHECK(found.samples.found() == which);
  if (!which) return;
  CHECK(found.samples.node == "then_branch_scale1");
  CHECK(found.samples.high == Approx(90000));
  CHECK_FALSE(found.samples.fp16);  // nested graphs keep their types
}
