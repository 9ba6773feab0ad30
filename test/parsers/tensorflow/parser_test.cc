// Graphs in the text form: names, control flow of the old form, leftovers of training, and files that are wrong.
#include <catch2/catch.hpp>

#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "parsers/tensorflow/parser.h"

namespace atc {
namespace {

std::unique_ptr<Graph> Parse(const std::string& text, const CompileOptions& options = {}, Diagnostics* notes = nullptr) {
  return ParseTensorFlowBytes("model.pbtxt", text, options, notes);
}

Diagnostic Fault(const std::string& bytes, const std::string& path = "model.pb") {
  try {
    ParseTensorFlowBytes(path, bytes, {}, nullptr);
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return {};
}

std::string Text(const Diagnostic& fault) {
  std::string text = fault.code + " " + fault.cure;
  for (const auto& [name, value] : fault.args) text += " " + value;
  return text;
}

const std::string kInput = R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } } } } unknown_field: 3 }
)";

std::string NodeText(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attrs = "") {
  std::string node = "node { name: \"" + name + "\" op: \"" + op + "\"";
  for (const std::string& input : inputs) node += " input: \"" + input + "\"";
  return node + " " + attrs + " }\n";
}

std::string IntConst(const std::string& name, int value) {
  return NodeText(name, "Const", {}, "attr { key: \"dtype\" value { type: DT_INT32 } } attr { key: \"value\" value { tensor "
                                 "{ dtype: DT_INT32 tensor_shape { } int_val: " + std::to_string(value) + " } } }");
}

std::vector<float> Run(Graph& graph, const std::vector<float>& x) {
  InferShapes(graph);
  const auto out = Evaluate(graph, {Tensor::From(DT_FLOAT, {static_cast<int64_t>(x.size())}, x)});
  return {out.at(0).Span<float>().begin(), out.at(0).Span<float>().end()};
}

}  // namespace

TEST_CASE("Leaves are the outputs, and an output keeps its name") {
  const auto graph = Parse(kInput + NodeText("scope/y", "Neg", {"x"}) + NodeText("out", "Identity", {"scope/y:0"}));
  const auto& net_output = *graph->NetOutput();
  REQUIRE(net_output.inputs.size() == 1);
  CHECK(graph->producer(net_output.inputs[0]).name == "out");
  CHECK(Run(*graph, {1, -2}) == std::vector<float>{-1, 2});
}

TEST_CASE("out_nodes and input_shape take names with and without an output number") {
  CompileOptions options;
  options.out_nodes = {{"scope/y", 0, ""}};
  options.input_shapes = {{"x:0", {{2, 2}}}};
  const auto graph = Parse(kInput + NodeText("scope/y", "Neg", {"x"}) + NodeText("out", "Abs", {"scope/y"}), options);
  CHECK(Run(*graph, {1, -2}) == std::vector<float>{-1, 2});
}

TEST_CASE("Leftovers of debugging go, with a note") {
  Diagnostics notes;
  const auto graph = Parse(kInput + NodeText("p", "Print", {"x", "x"}) + NodeText("y", "Neg", {"p"}), {}, &notes);
  CHECK(Run(*graph, {3, 4}) == std::vector<float>{-3, -4});
  REQUIRE(notes.all().size() == 1);
  CHECK(notes.all()[0].args[0].second.find("1 Print") != std::string::npos);
}

TEST_CASE("A loop of the old form becomes a While") {
  const std::string frame = "attr { key: \"frame_name\" value { s: \"f\" } }";
  const auto graph = Parse(
      kInput + IntConst("zero", 0) + IntConst("three", 3) + IntConst("one", 1) + NodeText("w/ei", "Enter", {"zero"}, frame) +
      NodeText("w/ex", "Enter", {"x"}, frame) + NodeText("w/mi", "Merge", {"w/ei", "w/ni"}) +
      NodeText("w/mx", "Merge", {"w/ex", "w/nx"}) + NodeText("w/less", "Less", {"w/mi", "three"}) +
      NodeText("w/LoopCond", "LoopCond", {"w/less"}) + NodeText("w/si", "Switch", {"w/mi", "w/LoopCond"}) +
      NodeText("w/sx", "Switch", {"w/mx", "w/LoopCond"}) + NodeText("w/add", "AddV2", {"w/si:1", "one"}) +
      NodeText("w/twice", "AddV2", {"w/sx:1", "w/sx:1"}) + NodeText("w/ni", "NextIteration", {"w/add"}) +
      NodeText("w/nx", "NextIteration", {"w/twice"}) + NodeText("w/out", "Exit", {"w/sx"}));
  CHECK(Run(*graph, {1, 2}) == std::vector<float>{8, 16});
}

TEST_CASE("Files that are wrong are told what they are, with the cure") {
  CHECK(Text(Fault("\x08\x08\x12\x07pytorch")).find("--framework=5") != std::string::npos);
  CHECK(Text(Fault(kInput.substr(0, 40), "m.pbtxt")).find("line") != std::string::npos);
  CHECK(Text(Fault(std::string("\x0a\x7f\x0a\x01x", 5))).starts_with("E13005"));
  CHECK(Text(Fault("\x89HDF\r\n")).find("HDF5") != std::string::npos);
  CHECK(Text(Fault("\n\x01x", "model.ckpt.data-00000-of-00001")).find("checkpoint") != std::string::npos);
  CHECK(Text(Fault(kInput + NodeText("y", "Neg", {"nowhere"}))).starts_with("E12009"));
  CHECK(Text(Fault(kInput + NodeText("x", "Neg", {"x"}))).starts_with("E13009"));
  CHECK(Text(Fault(kInput + NodeText("y", "Warp", {"x"}) + NodeText("z", "Warp", {"y"}))).find("Warp (2 nodes, first 'y')") !=
        std::string::npos);
  const std::string cycle = NodeText("a", "AddV2", {"x", "b"}) + NodeText("b", "Neg", {"a"}) + NodeText("c", "Neg", {"b"});
  CHECK(Text(Fault(kInput + cycle)).find("cycle") != std::string::npos);
  CHECK(Text(Fault(kInput + NodeText("v", "VariableV2", {}) + NodeText("y", "AddV2", {"x", "v"}))).find("Freeze") !=
        std::string::npos);
  const std::string call = NodeText("y", "PartitionedCall", {"x"}, "attr { key: \"f\" value { func { name: \"gone\" } } }");
  CHECK(Text(Fault(kInput + call)).starts_with("E12029"));
}

}  // namespace atc
