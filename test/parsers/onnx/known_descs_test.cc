// Converters choose operators by element types that the model does not declare.
#include <catch2/catch.hpp>

#include "compiler/ir/graph.h"
#include "parsers/onnx/parser.h"

namespace atc {
namespace {

// One protobuf field, by hand: numbers are below 16, lengths and values below 128.
std::string Field(int number, const std::string& value) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(value.size())} + value;
}
std::string Number(int number, int value) { return {static_cast<char>(number << 3), static_cast<char>(value)}; }

// NodeProto: input 1, output 2, op_type 4.
std::string NodeOf(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
  std::string node;
  for (const std::string& input : inputs) node += Field(1, input);
  return node + Field(2, output) + Field(4, type);
}

// y = -x / -x for x of ONNX element type `dtype` and shape [2]; the tensor between them is not declared.
std::unique_ptr<Graph> Parse(int dtype) {
  const std::string type = Field(1, Number(1, dtype) + Field(2, Field(1, Number(1, 2))));
  const std::string graph = Field(1, NodeOf("Neg", {"x"}, "t")) + Field(1, NodeOf("Div", {"t", "t"}, "y")) +
                            Field(2, "g") + Field(11, Field(1, "x") + Field(2, type)) + Field(12, Field(1, "y"));
  const std::string model = Number(1, 8) + Field(7, graph) + Field(8, Number(2, 14));
  Diagnostics diagnostics;
  return ParseOnnxBytes("m.onnx", model, CompileOptions(), &diagnostics);
}

bool Has(const Graph& graph, Name type) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (graph.node(id).alive && graph.node(id).type() == type) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the division follows the element type of an undeclared tensor") {
  CHECK(Has(*Parse(1), "RealDiv"));
  CHECK(Has(*Parse(6), "TruncateDiv"));
}

}  // namespace atc
