// What training leaves in graphs, and the ways to name outputs.
#include <catch2/catch.hpp>

#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "parsers/tensorflow/parser.h"

namespace atc {
namespace {

std::string NodeText(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attrs = "") {
  std::string text = "node { name: '" + name + "' op: '" + op + "'";
  for (const std::string& input : inputs) text += " input: '" + input + "'";
  return text + " " + attrs + " }\n";
}
std::string Type(const char* attr) { return "attr { key: '" + std::string(attr) + "' value { type: DT_FLOAT } } "; }
std::string Float(const std::string& name, const std::string& value, const std::string& controls = "") {
  std::vector<std::string> inputs;
  if (!controls.empty()) inputs.push_back(controls);
  return NodeText(name, "Const", inputs, Type("dtype") + "attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: " +
                                         value + " } } }");
}
const std::string kInput =
    NodeText("x", "Placeholder", {}, Type("dtype") + "attr { key: 'shape' value { shape { dim { size: 3 } } } }");

struct Result {
  std::vector<Tensor> outputs;
  std::vector<std::string> names;
  std::string notes;
  size_t inputs = 0;
};

Result Run(const std::string& text, std::vector<OutNodeOption> out_nodes = {}) {
  CompileOptions options;
  options.out_nodes = std::move(out_nodes);
  Diagnostics diagnostics;
  const auto graph = ParseTensorFlowBytes("graph.pbtxt", text, options, &diagnostics);
  graph->Verify();
  InferShapes(*graph);
  Result result;
  result.inputs = graph->Inputs().size();
  result.outputs = Evaluate(*graph, {Tensor::From<float>(DT_FLOAT, {3}, {1, -2, 4})});
  for (const ValueId value : graph->NetOutput()->inputs) result.names.push_back(graph->producer(value).name);
  for (const Diagnostic& note : diagnostics.all()) result.notes += note.args[0].second;
  return result;
}

std::vector<double> Values(const Result& result, size_t i = 0) { return ToDoubles(result.outputs.at(i)); }

using Doubles = std::vector<double>;

// Random numbers for the elements of x.
const std::string kUniform = NodeText("drop/Shape", "Shape", {"x"}) +
                             NodeText("drop/uniform", "RandomUniform", {"drop/Shape"}, Type("dtype"));

}  // namespace

TEST_CASE("Dropout of the older form passes its input on") {
  const Result result =
      Run(kInput + kUniform + Float("one", "1") + NodeText("keep", "PlaceholderWithDefault", {"one"}, Type("dtype")) +
          NodeText("drop/add", "Add", {"keep", "drop/uniform"}) + NodeText("drop/Floor", "Floor", {"drop/add"}) +
          NodeText("drop/div", "RealDiv", {"x", "keep"}) + NodeText("drop/mul", "Mul", {"drop/div", "drop/Floor"}) +
          NodeText("y", "Neg", {"drop/mul"}));
  CHECK(Values(result) == Doubles{-1, 2, -4});
  CHECK(result.notes.find("1 Dropout") != std::string::npos);
}

TEST_CASE("Dropout of the newer forms passes its input on") {
  const std::string head = kInput + kUniform + Float("rate", "0.4") + Float("scale", "1.6666666") + Float("zero", "0") +
                           NodeText("drop/kept", "GreaterEqual", {"drop/uniform", "rate"}) + NodeText("drop/scaled", "Mul", {"x", "scale"});
  const Result cast = Run(head + NodeText("drop/Cast", "Cast", {"drop/kept"}, Type("DstT")) +
                          NodeText("drop/mul", "Mul", {"drop/scaled", "drop/Cast"}) + NodeText("y", "Neg", {"drop/mul"}));
  CHECK(Values(cast) == Doubles{-1, 2, -4});
  const Result select = Run(head + NodeText("drop/select", "SelectV2", {"drop/kept", "drop/scaled", "zero"}) +
                            NodeText("y", "Neg", {"drop/select"}));
  CHECK(Values(select) == Doubles{-1, 2, -4});
}

TEST_CASE("What only watches is left out and told") {
  const Result result =
      Run(kInput + Float("limit", "9") + NodeText("less", "Less", {"x", "limit"}) + NodeText("assert", "Assert", {"less", "x"}) +
          NodeText("summary", "ScalarSummary", {"limit", "limit"}) + NodeText("group", "NoOp", {"^assert", "^summary"}) +
          NodeText("numbers", "CheckNumerics", {"x", "^group"}) + NodeText("stop", "StopGradient", {"numbers"}) +
          NodeText("printed", "Print", {"stop", "x"}) + NodeText("y", "Neg", {"printed"}));
  CHECK(Values(result) == Doubles{-1, 2, -4});
  CHECK(result.outputs.size() == 1);
  for (const char* note : {"1 Assert", "1 CheckNumerics", "1 Print", "1 ScalarSummary"}) {
    CHECK(result.notes.find(note) != std::string::npos);
  }
}

TEST_CASE("Outputs are named by node and number, by tensor, or by node alone") {
  const std::string text = kInput + NodeText("a/b/neg", "Neg", {"x"}) + NodeText("a/c/square", "Square", {"a/b/neg"}) +
                           NodeText("a/last", "Neg", {"a/c/square"});
  const Doubles square = {1, 4, 16}, negative = {-1, 2, -4};
  for (const OutNodeOption& option : {OutNodeOption{"a/c/square", 0, ""}, OutNodeOption{"", 0, "a/c/square"},
                                      OutNodeOption{"", 0, "a/c/square:0"}}) {
    const Result result = Run(text, {option});
    CHECK(Values(result) == square);
    CHECK(result.names == std::vector<std::string>{"a/c/square"});
  }
  const Result both = Run(text, {{"a/c/square", 0, ""}, {"a/b/neg", 0, ""}});
  CHECK(Values(both, 0) == square);
  CHECK(Values(both, 1) == negative);
  const auto code = [&](const OutNodeOption& option) {
    try {
      Run(text, {option});
      return std::string();
    } catch (const Error& error) {
      return error.diagnostic().code;
    }
  };
  CHECK(code({"a/c/nothing", 0, ""}) == "E10016");
  CHECK(code({"", 0, "nothing:0"}) == "E10016");
  CHECK(code({"a/c/square", 3, ""}) == "E10003");
}

}  // namespace atc
