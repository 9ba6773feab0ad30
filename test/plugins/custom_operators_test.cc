// Operators of plugins that go wrong: each is refused by name, and none ends the process.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "parsers/onnx/parser.h"
#include "parsers/tensorflow/parser.h"
#include "plugins/operators/custom_operators.h"

using namespace atc;
namespace fs = std::filesystem;

namespace {

// The folder of plugins of this process: what is loaded stays loaded.
const CustomOperatorReport& Loaded() {
  static const CustomOperatorReport report = [] {
    std::string root = (fs::temp_directory_path() / "openatc_operators_XXXXXX").string();
    REQUIRE(mkdtemp(root.data()) != nullptr);
    const fs::path folder = fs::path(root) / "vendors" / "v" / "custom_operators";
    fs::create_directories(folder);
    for (const char* name : {"faulty_operators", "faulty_operators1", "faulty_operators2", "faulty_operators3",
                             "faulty_operators4"}) {
      fs::copy_file(fs::path(OPENATC_TEST_PLUGINS) / (std::string(name) + ".so"), folder / (std::string(name) + ".so"));
    }
    CustomOperatorReport found = LoadCustomOperators(root);
    fs::remove_all(root);
    return found;
  }();
  return report;
}

std::string Why(const std::string& library) {
  for (const CustomOperatorReport::File& file : Loaded().files) {
    if (fs::path(file.path).filename() == library) return file.why;
  }
  return "not found";
}

// Of the wire format: a field of bytes, or a number below 128.
std::string Bytes(int field, const std::string& value) {
  REQUIRE(value.size() < 1 << 14);
  std::string length(1, static_cast<char>(value.size() & 127));
  if (value.size() > 127) {
    length[0] |= static_cast<char>(128);
    length += static_cast<char>(value.size() >> 7);
  }
  return static_cast<char>(field << 3 | 2) + length + value;
}
std::string Number(int field, int value) { return {static_cast<char>(field << 3), static_cast<char>(value)}; }

std::string Value(const std::string& name, bool typed) {
  const std::string shape = Bytes(2, Bytes(1, Number(1, 3)));
  return Bytes(1, name) + (typed ? Bytes(2, Bytes(1, Number(1, 1) + shape)) : "");
}

// y = faulty::<type>(x...), x float [3], node "the_node".
std::string Model(const std::string& type, int inputs) {
  std::string node;
  for (int i = 0; i < inputs; ++i) node += Bytes(1, "x");
  node += Bytes(2, "y") + Bytes(3, "the_node") + Bytes(4, type) + Bytes(7, "faulty");
  const std::string graph = Bytes(1, node) + Bytes(2, "g") + Bytes(11, Value("x", true)) + Bytes(12, Value("y", false));
  return Number(1, 8) + Bytes(7, graph) + Bytes(8, Bytes(1, "faulty") + Number(2, 1));
}

// What is said of it; empty when it runs.
std::string Fault(const std::string& type, int inputs = 1) {
  try {
    const auto graph = ParseOnnxBytes("model.onnx", Model(type, inputs), CompileOptions(), nullptr);
    InferShapes(*graph);
    Evaluate(*graph, {Tensor::From<float>(DT_FLOAT, {3}, {1, 2, 3})});
  } catch (const Error& error) {
    std::string text = error.diagnostic().code + " " + MessageText(error.diagnostic());
    for (const std::string& where : error.diagnostic().context) text += "; " + where;
    return text;
  }
  return "";
}

}  // namespace

TEST_CASE("libraries of operators that are not in order are reported and left out") {
  CHECK(Why("faulty_operators.so").empty());
  CHECK_THAT(Why("faulty_operators1.so"), Catch::Contains("'NoKernel'") && Catch::Contains("no kernel"));
  CHECK_THAT(Why("faulty_operators2.so"), Catch::Contains("'Relu' is built in"));
  CHECK_THAT(Why("faulty_operators3.so"), Catch::Contains("no more sugar"));
  CHECK_THAT(Why("faulty_operators4.so"), Catch::Contains("registers no operator"));
}

TEST_CASE("operators of plugins that fail are named with their node and library") {
  Loaded();
  struct Case {
    const char* type;
    int inputs;
    const char* part;
  };
  const Case cases[] = {
      {"InferThrows", 1, "threw: no more eggs"},
      {"InferThrowsOdd", 1, "an exception of a type unknown here"},
      {"InferFails", 1, "failed with 17"},
      {"InferSilent", 1, "gave nothing for output 0"},
      {"InferNoType", 1, "which it cannot be"},
      {"InferWildType", 1, "which it cannot be"},
      {"InferNegative", 1, "which it cannot be"},
      {"KernelThrows", 1, "threw: no more flour"},
      {"KernelFails", 1, "failed with 18"},
      {"KernelSays", 1, "the oven is cold"},
      {"KernelSilent", 1, "gave nothing for output 0"},
      {"ParseThrows", 1, "threw: no more milk"},
  };
  for (const Case& c : cases) {
    const std::string fault = Fault(c.type, c.inputs);
    INFO(c.type << ": " << fault);
    CHECK_THAT(fault, Catch::Contains(c.part));
    CHECK_THAT(fault, Catch::Contains("the_node"));
    CHECK_THAT(fault, Catch::Contains(c.type));
    CHECK_THAT(fault, Catch::Contains("faulty_operators.so"));
  }
  // Wrong numbers of inputs are the model's fault, not the library's.
  for (const auto& [type, inputs] : {std::pair("TwoInputs", 1), std::pair("TwoInputs", 3), std::pair("KernelFails", 2)}) {
    const std::string fault = Fault(type, inputs);
    INFO(type << " of " << inputs << ": " << fault);
    CHECK_THAT(fault, Catch::Contains("the_node") && Catch::Contains(type));
  }
}

TEST_CASE("operators of TensorFlow models are served by plugins") {
  Loaded();
  const std::string text = R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "shape" value { shape { dim { size: 2 } } } } }
    node { name: "y" op: "TfScaled" input: "x" attr { key: "factor" value { i: 3 } }
           attr { key: "T" value { type: DT_FLOAT } } })";
  const auto graph = ParseTensorFlowBytes("model.pbtxt", text, CompileOptions(), nullptr);
  InferShapes(*graph);
  const std::vector<Tensor> out = Evaluate(*graph, {Tensor::From<float>(DT_FLOAT, {2}, {1, -2})});
  CHECK(ToDoubles(out.at(0)) == std::vector<double>{3, -6});
}
