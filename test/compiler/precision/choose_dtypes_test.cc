#include "compiler/precision/choose_dtypes.h"

#include <cmath>
#include <limits>

#include "compiler/ir/error.h"
#include "compiler/ir/half.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/precision/cast_edges.h"
#include "compiler/precision/mark_precision.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("fp16 is the default: the interface stays float, a Cast stands on every edge from and to it") {
  PassFixture f;
  const ValueId x = f.Input({2, 7});
  const ValueId a = f.Op("Relu", "a", {x});
  const ValueId b = f.Op("Exp", "b", {x});
  f.Output({f.Op("Add", "c", {a, b})});
  f.KeepsResults([&] { ChooseDtypes(f.graph, PrecisionMode::kForceFp16, {}, f.journal); }, 2e-3);
  CHECK(f.Count("Cast") == 3);  // two behind the input, one before the output
  CHECK(f.graph.desc(a).dtype == DT_FLOAT16);
  CHECK(f.graph.desc(x).dtype == DT_FLOAT);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).dtype == DT_FLOAT);
  CHECK_FALSE(f.graph.Find("a")->reasons.empty());
}

TEST_CASE("origin changes nothing; a requested output type is cast to in every mode") {
  PassFixture f;
  f.Output({f.Op("Relu", "a", {f.Input({2, 7})})});
  ChooseDtypes(f.graph, PrecisionMode::kKeepOrigin, {}, f.journal);
  CHECK(f.Count("Cast") == 0);
  ChooseDtypes(f.graph, PrecisionMode::kKeepOrigin, {DT_FLOAT16}, f.journal);
  CHECK(f.Count("Cast") == 1);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[0]).dtype == DT_FLOAT16);
}

TEST_CASE("in the mixed mode a product is lowered and what follows it follows") {
  PassFixture f;
  const ValueId first = f.Op("Relu", "before", {f.Input({1, 3, 5, 5})});
  const ValueId y = f.Conv("conv", first, f.Weights({4, 3, 3, 3}, 1));
  f.Output({f.Op("Relu", "after", {y})});
  ChooseDtypes(f.graph, PrecisionMode::kMixedFp16, {}, f.journal);
  CHECK(f.graph.desc(first).dtype == DT_FLOAT);
  CHECK(f.graph.desc(y).dtype == DT_FLOAT16);
  CHECK(f.graph.desc(f.graph.Find("after")->outputs[0]).dtype == DT_FLOAT16);
}

TEST_CASE("a narrowed constant clips finite values and keeps infinities and NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor from = Tensor::From<float>(DT_FLOAT, {5}, {1e9f, -1e9f, infinity, std::nanf(""), 1.0f});
  const Tensor to = ConvertConstant(from, DT_FLOAT16).Materialized();
  const uint16_t* bits = to.Data<uint16_t>();
  CHECK(HalfToFloat(bits[0]) == 65504.0f);
  CHECK(HalfToFloat(bits[1]) == -65504.0f);
  CHECK(HalfToFloat(bits[2]) == infinity);
  CHECK(std::isnan(HalfToFloat(bits[3])));
  CHECK(HalfToFloat(bits[4]) == 1.0f);
}

TEST_CASE("modes that need HiFloat8 are refused with E10055") {
  PassFixture f;
  f.Output({f.Op("Relu", "a", {f.Input({2})})});
  try {
    ChooseDtypes(f.graph, PrecisionMode::kCubeHif8, {}, f.journal);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.diagnostic().code == "E10055");
  }
}

namespace {

// Runs both steps, as the pipeline does.
void Choose(PassFixture& f, PrecisionMode mode, const PrecisionOptions& options) {
  MarkPrecision(f.graph, options, &f.diagnostics);
  ChooseDtypes(f.graph, mode, {}, f.journal, options);
}

DataType OutputType(const PassFixture& f, const char* node) {
  return f.graph.desc(f.graph.Find(node)->outputs[0]).dtype;
}

}  // namespace

TEST_CASE("a kept operator stays float in the default mode, by name and by type") {
  PassFixture f;
  const ValueId a = f.Op("Relu", "a", {f.Input({2, 7})});
  const ValueId b = f.Op("Exp", "b", {a});
  f.Output({f.Op("Neg", "c", {b})});
  PrecisionOptions options;
  options.keep_names = {"a"};
  options.mode_by_type = {{"Exp", "enable_float_32_execution"}};
  f.KeepsResults([&] { Choose(f, PrecisionMode::kForceFp16, options); }, 2e-3);
  CHECK(OutputType(f, "a") == DT_FLOAT);
  CHECK(OutputType(f, "b") == DT_FLOAT);
  CHECK(OutputType(f, "c") == DT_FLOAT16);
  CHECK(f.diagnostics.all().empty());
}

TEST_CASE("a node's own line wins over that of its type, and names that the model lacks are told") {
  PassFixture f;
  f.Output({f.Op("Relu", "conv_a", {f.Input({2, 7})})});
  PrecisionOptions options;
  options.mode_by_type = {{"Relu", "keep_fp16"}};
  options.mode_by_name = {{"conv_a", "enable_float_32_execution"}, {"conv_b", "high_precision"}};
  Choose(f, PrecisionMode::kForceFp16, options);
  CHECK(OutputType(f, "conv_a") == DT_FLOAT);
  REQUIRE(f.diagnostics.all().size() == 1);
  CHECK(f.diagnostics.all()[0].args[1].second.find("Did you mean 'conv_a'?") != std::string::npos);
}

TEST_CASE("a type that the lists name and the model lacks is told, also one that is to leave them") {
  PassFixture f;
  f.Output({f.Op("Relu", "r", {f.Input({2})})});
  PrecisionOptions options;
  options.black_list.to_remove = {"Exp", "Relu"};
  MarkPrecision(f.graph, options, &f.diagnostics);
  REQUIRE(f.diagnostics.all().size() == 1);
  CHECK(f.diagnostics.all()[0].args[0].second.find("'Exp' of --modify_mixlist") != std::string::npos);
}

TEST_CASE("the lists of the mixed mode can be changed") {
  const auto types = [](const PrecisionOptions& options) {
    PassFixture f;
    const ValueId before = f.Op("Relu", "before", {f.Input({1, 3, 5, 5})});
    const ValueId y = f.Conv("conv", before, f.Weights({4, 3, 3, 3}, 1));
    f.Output({f.Op("Relu", "after", {y})});
    Choose(f, PrecisionMode::kMixedFp16, options);
    return std::vector<DataType>{OutputType(f, "before"), OutputType(f, "conv"), OutputType(f, "after")};
  };
  PrecisionOptions options;
  options.black_list.to_add = {"Relu"};
  CHECK(types(options) == std::vector<DataType>{DT_FLOAT, DT_FLOAT16, DT_FLOAT});
  options = {};
  options.white_list.to_add = {"Relu"};
  CHECK(types(options) == std::vector<DataType>{DT_FLOAT16, DT_FLOAT16, DT_FLOAT16});
  options = {};
  options.white_list.to_remove = {"Conv2D"};
  CHECK(types(options) == std::vector<DataType>{DT_FLOAT, DT_FLOAT, DT_FLOAT});
}

TEST_CASE(
    "custom types of single tensors are those that the operator takes and gives, without Casts to bring them "
    "together") {
  PassFixture f;
  const ValueId a = f.Op("Add", "a", {f.Input({2, 7}), f.Input({2, 7})});
  f.Output({f.Op("Relu", "b", {a})});
  PrecisionOptions options;
  options.custom_by_name = {{"a", {{DT_FLOAT16, DT_UNDEFINED}, {}}}};
  f.KeepsResults([&] { Choose(f, PrecisionMode::kKeepOrigin, options); }, 2e-3);
  // x goes to fp16, y is untouched.
  CHECK(f.Count("Cast") == 1);
  CHECK(f.graph.desc(f.graph.Find("a")->inputs[0]).dtype == DT_FLOAT16);
  CHECK(f.graph.desc(f.graph.Find("a")->inputs[1]).dtype == DT_FLOAT);
  CHECK(OutputType(f, "a") == DT_FLOAT);
  CHECK(f.graph.Find("a")->reasons[0].rule == "--customize_dtypes: DT_FLOAT16, DT_FLOAT to DT_FLOAT");
  // By hand: 1 + 2^-12 rounds to 1 in fp16, and 0.5 stays.
  const std::vector<float> values = {1.0f + 1.0f / 4096};
  PassFixture g;
  const ValueId x = g.graph.AddData("x", 0, TensorDesc(DT_FLOAT, {1}));
  const ValueId y = g.graph.AddData("y", 1, TensorDesc(DT_FLOAT, {1}));
  g.Output({g.Op("Add", "a", {x, y})});
  Choose(g, PrecisionMode::kKeepOrigin, options);
  const std::vector<Tensor> out =
      Evaluate(g.graph, {Tensor::From<float>(DT_FLOAT, {1}, values), Tensor::From<float>(DT_FLOAT, {1}, values)});
  CHECK(out[0].Data<float>()[0] == 2.0f + 1.0f / 4096);
}

TEST_CASE("what moves elements has one type: custom types round before and behind it") {
  PassFixture f;
  Node& join = f.graph.Add("ConcatD", "a", {f.Input({2, 3}), f.Input({2, 3})}, 1);
  join.attrs.Set("concat_dim", int64_t{1});
  join.attrs.Set("N", int64_t{2});
  f.Output({join.outputs[0]});
  PrecisionOptions options;
  options.custom_by_name = {{"a", {{DT_FLOAT16, DT_UNDEFINED}, {}}}};
  f.KeepsResults([&] { Choose(f, PrecisionMode::kKeepOrigin, options); }, 2e-3);
  CHECK(f.Count("Cast") == 2);  // the first operand goes to fp16 and back
  CHECK(f.graph.desc(f.graph.Find("a")->inputs[0]).dtype == DT_FLOAT);
}

TEST_CASE("custom types of one kind are what the operator computes in") {
  PassFixture f;
  const ValueId a = f.Op("Relu", "a", {f.Input({2, 7})});
  f.Output({f.Op("Exp", "b", {a})});
  PrecisionOptions options;
  options.custom_by_type = {{"Relu", {{DT_FLOAT16}, {DT_FLOAT16}}}};
  f.KeepsResults([&] { Choose(f, PrecisionMode::kKeepOrigin, options); }, 2e-3);
  CHECK(f.graph.desc(f.graph.Find("a")->inputs[0]).dtype == DT_FLOAT16);
  // The consumer is as the model has it.
  CHECK(OutputType(f, "b") == DT_FLOAT);
}

TEST_CASE("custom types that cannot be are refused") {
  const auto fault = [](const CustomDtypes& custom) {
    PassFixture f;
    f.Output({f.Op("Relu", "a", {f.Input({2, 7})})});
    PrecisionOptions options;
    options.custom_by_name = {{"a", custom}};
    Choose(f, PrecisionMode::kForceFp16, options);
  };
  CHECK_THROWS_WITH(fault({{DT_INT8}, {}}), Catch::Contains("E10001"));
  CHECK_THROWS_WITH(fault({{DT_FLOAT, DT_FLOAT}, {}}), Catch::Contains("no input 1") || Catch::Contains("has no  as"));
  CHECK_THROWS_WITH(fault({{}, {DT_FLOAT, DT_FLOAT16}}), Catch::Contains("E10001"));
}

TEST_CASE("cube_fp16in_fp32out: a product takes data and filter in fp16 and gives float") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  f.Output({f.Op("Relu", "after", {y})});
  f.KeepsResults([&] { Choose(f, PrecisionMode::kCubeFp16InFp32Out, {}); }, 2e-2);
  CHECK(OutputType(f, "conv") == DT_FLOAT);
  CHECK(OutputType(f, "after") == DT_FLOAT);
  CHECK(f.Count("Cast") == 1);  // of the data; the filter is converted itself
  const Node& conv = *f.graph.Find("conv");
  CHECK(f.graph.desc(conv.inputs[0]).dtype == DT_FLOAT16);
  CHECK(f.graph.desc(conv.inputs[1]).dtype == DT_FLOAT16);
}

TEST_CASE("without clipping a weight beyond fp16 becomes infinite") {
  const std::vector<float> values = {1e6f, -1e6f};
  const Tensor narrow = ConvertConstant(Tensor::From<float>(DT_FLOAT, {2}, values), DT_FLOAT16, false).Materialized();
  CHECK(HalfToFloat(narrow.Data<uint16_t>()[0]) == std::numeric_limits<float>::infinity());
  CHECK(HalfToFloat(narrow.Data<uint16_t>()[1]) == -std::numeric_limits<float>::infinity());
}
