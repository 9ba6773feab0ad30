// TensorFlow models that are looked at and not converted: summary, check, JSON.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "compiler/io/byte_sink.h"
#include "compiler/ir/error.h"
#include "parsers/model_summary.h"
#include "parsers/precheck.h"
#include "parsers/tensorflow/model_json.h"

namespace atc {
namespace {

// A file of text that goes away with it.
class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path(std::filesystem::temp_directory_path() / ("inspect" + std::to_string(getpid()) + ".pbtxt")) {
    std::ofstream(path) << text;
  }
  ~TextFile() { std::filesystem::remove(path); }

  const std::string path;
};

// x [?, 2] -> MatMul with a [2, 3] -> y; Mystery is taken by nobody but itself where `tail` makes it a result.
std::string Model(const std::string& tail) {
  return R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor {
  dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 3 } } float_val: 0.5 } } } }
node { name: "y" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1087 }
)" + tail;
}

}  // namespace

TEST_CASE("A summary tells inputs, outputs as inferred, operators and parameters") {
  const TextFile file(Model(""));
  const ModelSummary summary = SummarizeTensorFlow(file.path);
  CHECK(summary.framework == "tensorflow");
  CHECK(summary.ir_version == 1087);
  REQUIRE(summary.inputs.size() == 1);
  CHECK(summary.inputs[0].name == "x");
  CHECK(summary.inputs[0].type == "DT_FLOAT");
  CHECK(summary.inputs[0].dims == std::vector<std::string>{"-1", "2"});
  REQUIRE(summary.outputs.size() == 1);
  CHECK(summary.outputs[0].name == "y:0");
  CHECK(summary.outputs[0].dims == std::vector<std::string>{"-1", "3"});
  CHECK(summary.parameters == 6);
  CHECK(summary.parameter_bytes == 24);
  CHECK(summary.nodes == 3);
  REQUIRE(summary.operators.size() == 3);
  CHECK(summary.operators[1].type == "MatMul");
  CHECK(summary.operators[1].supported);
}

TEST_CASE("A summary lists what is not supported, and leaves the types of outputs open") {
  const TextFile file(Model(R"(node { name: "m" op: "Mystery" input: "y" })"));
  const ModelSummary summary = SummarizeTensorFlow(file.path);
  REQUIRE(summary.operators.size() == 4);
  CHECK(summary.operators[2].type == "Mystery");
  CHECK_FALSE(summary.operators[2].supported);
  CHECK(summary.operators[2].first_node == "m");
  REQUIRE(summary.outputs.size() == 1);
  CHECK(summary.outputs[0].type.empty());
}

TEST_CASE("A check finds operators without converter, in functions too, and names given twice") {
  const TextFile file(Model(R"(node { name: "m" op: "Mystery" input: "y" }
node { name: "call" op: "Body" input: "y" }
node { name: "y" op: "Neg" input: "x" }
library { function { signature { name: "Body" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "b" type: DT_FLOAT } }
  node_def { name: "inner" op: "Riddle" input: "a" } ret { key: "b" value: "inner:z:0" } } })"));
  const PrecheckReport report = PrecheckTensorFlow(file.path);
  REQUIRE(report.operators.size() == 6);
  CHECK(report.CountFailed() == 3);
  CHECK(report.operators[2].causes.empty());
  CHECK(report.operators[3].causes == std::vector{PrecheckReport::kTypeUnsupported});
  CHECK(report.operators[4].causes == std::vector{PrecheckReport::kTypeUnsupported});
  CHECK(report.operators[5].causes == std::vector{PrecheckReport::kNameRepeated});
}

TEST_CASE("JSON has the nodes with their attributes as keys and values") {
  const TextFile file(Model(""));
  StringSink sink;
  WriteTensorFlowJson(file.path, sink);
  CHECK(sink.text.starts_with("{\n  \"node\": [\n    {\n      \"attr\": [\n        {\n          \"key\": \"dtype\",\n"
                              "          \"value\": {\n            \"type\": \"DT_FLOAT\"\n"));
  CHECK(sink.text.find("\"float_val\": [\n") != std::string::npos);
  CHECK(sink.text.find("\"op\": \"MatMul\"") != std::string::npos);
  CHECK(sink.text.ends_with("\"versions\": {\n    \"producer\": 1087\n  }\n}\n"));
}

TEST_CASE("A file that is no model is told as the conversion tells it") {
  const TextFile file("no graph at all");
  StringSink sink;
  for (const auto& look : std::vector<std::function<void()>>{[&] { SummarizeTensorFlow(file.path); },
                                                             [&] { PrecheckTensorFlow(file.path); },
                                                             [&] { WriteTensorFlowJson(file.path, sink); }}) {
    try {
      look();
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.diagnostic().code == "E13005");
    }
  }
}

}  // namespace atc
