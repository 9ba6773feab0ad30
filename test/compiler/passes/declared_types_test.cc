#include "compiler/passes/declared_types.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

// A node as a pass adds it: of a type that is declared and has no kernel here.
Node& Declared(PassFixture& f, const char* type, std::vector<ValueId> in) {
  static std::vector<std::unique_ptr<OpDef>> definitions;  // nodes keep pointers to them
  definitions.push_back(std::make_unique<OpDef>(type));
  Node& node = f.graph.Add(*definitions.back(), "declared", std::move(in), 1);
  node.origin = f.graph.origins().Leaf("declared");
  return node;
}

std::vector<double> Result(PassFixture& f) {
  InferShapes(f.graph);
  return ToDoubles(Evaluate(f.graph, f.inputs)[0]);
}

ValueId Floats(PassFixture& f, Shape shape, std::vector<float> values) {
  return f.graph.AddConst("c", Tensor::From<float>(DT_FLOAT, std::move(shape), values));
}

}  // namespace

TEST_CASE("another name of an operator becomes the one that runs, with its attributes") {
  PassFixture f;
  Node& node = Declared(f, "BatchMatMul", {Floats(f, {2, 2}, {1, 2, 3, 4}), Floats(f, {2, 2}, {1, 0, 1, 1})});
  node.attrs.Set("transpose_x2", AttrValue(true));
  f.graph.Add("NetOutput", "Node_Output", {node.outputs[0]}, 0);
  CHECK(FindDeclaredType(f.graph) == &node);
  CHECK(LowerDeclaredTypes(f.graph, f.journal) == 1);
  CHECK(FindDeclaredType(f.graph) == nullptr);
  CHECK(node.type() == "BatchMatMulV2");
  CHECK(f.journal.entries().front().number == -1);  // required
  // [[1, 2], [3, 4]] times [[1, 1], [0, 1]]
  CHECK(Result(f) == std::vector<double>{1, 3, 3, 7});
}

TEST_CASE("a join whose axis is its last input; a bias of the channels before the other dims") {
  PassFixture f;
  const ValueId x = Floats(f, {1, 2, 2}, {1, 2, 3, 4});
  Node& joined = Declared(f, "ConcatV2", {x, x, f.graph.AddConst("axis", Tensor::Ints({2}))});
  Node& bias = Declared(f, "BiasAdd", {joined.outputs[0], Floats(f, {2}, {10, 20})});
  bias.attrs.Set("data_format", "NCHW");
  f.graph.Add("NetOutput", "Node_Output", {bias.outputs[0]}, 0);
  CHECK(LowerDeclaredTypes(f.graph, f.journal) == 2);
  CHECK(Result(f) == std::vector<double>{11, 12, 11, 12, 23, 24, 23, 24});
}

TEST_CASE("what no rule knows is left, to be told of") {
  PassFixture f;
  Node& node = Declared(f, "NoSuchOperator", {Floats(f, {1}, {1})});
  f.graph.Add("NetOutput", "Node_Output", {node.outputs[0]}, 0);
  CHECK(LowerDeclaredTypes(f.graph, f.journal) == 0);
  CHECK(FindDeclaredType(f.graph) == &node);
}
