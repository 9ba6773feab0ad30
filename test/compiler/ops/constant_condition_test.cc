#include "compiler/ops/constant_condition.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

// A branch that scales the captured input `index` of its owner.
void AddBranch(Graph& graph, Node& owner, const std::string& name, float factor) {
  Graph& branch = graph.AddSubgraph(owner, name);
  const ValueId x = branch.AddData(name + "_x", 0, TensorDesc(DT_FLOAT, Shape{3}));
  branch.producer(x).attrs.Set("_parent_node_index", int64_t{1});
  const ValueId y = branch.Add("Mul", name + "_mul", {x, branch.AddConst(name + "_c", Tensor::Scalar(factor))}, 1).outputs[0];
  branch.Add("NetOutput", name + "_out", {y}, 0);
}

ValueId AddCase(PassFixture& f, ValueId index, ValueId x) {
  Node& node = f.graph.Add("Case", "case", {index, x}, 1);
  node.origin = f.graph.origins().Leaf(node.name);
  const ValueId result = node.outputs[0];
  for (int i = 0; i < 3; ++i) {
    AddBranch(f.graph, f.graph.producer(result), "branches" + std::to_string(i), static_cast<float>(i + 2));
  }
  return result;
}

// x while `goes_on` is true; the body doubles it.
ValueId AddWhile(PassFixture& f, ValueId x, bool goes_on, bool constant) {
  Node& node = f.graph.Add("While", "while", {x}, 1);
  node.origin = f.graph.origins().Leaf(node.name);
  const ValueId result = node.outputs[0];
  Graph& condition = f.graph.AddSubgraph(f.graph.producer(result), "cond");
  const ValueId state = condition.AddData("cond_x", 0, TensorDesc(DT_FLOAT, Shape{3}));
  Tensor truth = Tensor::Allocate(DT_BOOL, {});
  truth.MutableData<bool>()[0] = goes_on;
  ValueId decides = condition.AddConst("truth", truth);
  if (!constant) {
    const ValueId sum = condition.Add("ReduceSum", "sum", {state, condition.AddConst("axes", Tensor::Ints({0}))}, 1).outputs[0];
    decides = condition.Add("Less", "less", {sum, condition.AddConst("most", Tensor::Scalar(-1e6f))}, 1).outputs[0];
  }
  condition.Add("NetOutput", "cond_out", {decides}, 0);
  Graph& body = f.graph.AddSubgraph(f.graph.producer(result), "body");
  const ValueId in = body.AddData("body_x", 0, TensorDesc(DT_FLOAT, Shape{3}));
  const ValueId out = body.Add("Mul", "twice", {in, body.AddConst("two", Tensor::Scalar(2.0f))}, 1).outputs[0];
  body.Add("NetOutput", "body_out", {out}, 0);
  return result;
}

// A Loop that adds one to x and collects the squares, which have `dim` elements.
Node& AddLoop(PassFixture& f, ValueId trips, ValueId goes_on, ValueId x, int64_t dim = 3) {
  Node& node = f.graph.Add("onnx::Loop", "loop", {trips, goes_on, x}, 2);
  node.origin = f.graph.origins().Leaf(node.name);
  Graph& body = f.graph.AddSubgraph(node, "body");
  body.AddData("iteration", 0, TensorDesc(DT_INT64, Shape{}));
  const ValueId condition = body.AddData("condition", 1, TensorDesc(DT_BOOL, Shape{}));
  const ValueId in = body.AddData("body_x", 2, TensorDesc(DT_FLOAT, Shape{dim}));
  const ValueId next = body.Add("Add", "next", {in, body.AddConst("one", Tensor::Scalar(1.0f))}, 1).outputs[0];
  const ValueId square = body.Add("Square", "square", {next}, 1).outputs[0];
  body.Add("NetOutput", "body_out", {condition, next, square}, 0);
  return node;
}

Tensor Truth(bool value) { return Tensor::From<uint8_t>(DT_BOOL, {}, {static_cast<uint8_t>(value)}); }

}  // namespace

TEST_CASE("a Case of a constant index gives way to its branch, the last one for an index outside") {
  const auto [index, factor] = GENERATE(table<int64_t, float>({{0, 2.0f}, {1, 3.0f}, {2, 4.0f}, {3, 4.0f}, {-1, 4.0f}}));
  PassFixture f;
  const ValueId x = f.Input({3});
  f.Output({f.Op("Neg", "after", {AddCase(f, f.graph.AddConst("index", Tensor::Ints({index})), x)})});
  f.KeepsResults([&] { CHECK(InferShapesAndFold(f.graph, f.journal)); }, 0);
  CHECK(f.Count("Case") == 0);
  const Node* taken = f.graph.Find("branches" + std::to_string(index < 0 ? 2 : std::min<int64_t>(index, 2)) + "_mul");
  REQUIRE(taken != nullptr);
  CHECK(f.graph.ConstantInput(*taken, 1)->Data<float>()[0] == factor);
}

TEST_CASE("what a branch leaves waits for what its owner waited for, and is waited for as its owner was") {
  PassFixture f;
  const ValueId x = f.Input({3});
  const ValueId before = f.Op("Neg", "before", {x}), after = f.Op("Neg", "after", {x});
  const ValueId y = AddCase(f, f.graph.AddConst("index", Tensor::Ints({1})), x);
  const NodeId owner = f.graph.producer(y).id;
  f.graph.AddControl(f.graph.producer(before).id, owner);
  f.graph.AddControl(owner, f.graph.producer(after).id);
  f.Output({before, after, y});
  f.KeepsResults([&] { CHECK(InferShapesAndFold(f.graph, f.journal)); }, 0);
  const Node* taken = f.graph.Find("branches1_mul");
  REQUIRE(taken != nullptr);
  CHECK(taken->control_in == std::vector<NodeId>{f.graph.Find("before")->id});
  CHECK(taken->control_out == std::vector<NodeId>{f.graph.Find("after")->id});
}

TEST_CASE("a Case of a computed index stays") {
  PassFixture f;
  const ValueId index = f.Op("Cast", "index", {f.Input({})});
  f.graph.producer(index).attrs.Set("dst_type", static_cast<int64_t>(DT_INT32));
  f.Output({AddCase(f, index, f.Input({3}))});
  f.KeepsResults([&] { InferShapesAndFold(f.graph, f.journal); }, 0);
  CHECK(f.Count("Case") == 1);
}

TEST_CASE("a While whose condition is false gives what goes in, also as an output of the model") {
  const bool direct = GENERATE(false, true);
  PassFixture f;
  const ValueId y = AddWhile(f, f.Input({3}), false, true);
  f.Output({direct ? y : f.Op("Neg", "after", {y})});
  f.KeepsResults([&] { CHECK(InferShapesAndFold(f.graph, f.journal)); }, 0);
  CHECK(f.Count("While") == 0);
  CHECK(f.Count("Identity") == (direct ? 1 : 0));
}

TEST_CASE("a While whose condition depends on its values, or is always true, stays") {
  const bool constant = GENERATE(false, true);
  PassFixture f;
  f.Output({AddWhile(f, f.Input({3}), true, constant)});
  InferShapesAndFold(f.graph, f.journal);
  CHECK(f.Count("While") == 1);
}

TEST_CASE("a Loop of no trips, or whose condition is false, gives what goes in and collects nothing") {
  // Trip count (-9: none given) and condition (-1: none given).
  const auto [trips, goes_on] =
      GENERATE(table<int64_t, int>({{0, 1}, {0, -1}, {-2, 1}, {3, 0}, {-9, 0}, {0, 0}}));
  const bool direct = GENERATE(false, true);
  PassFixture f;
  const ValueId limit = trips == -9 ? kNoId : f.graph.AddConst("trips", Tensor::From<int64_t>(DT_INT64, {}, {trips}));
  const ValueId condition = goes_on < 0 ? kNoId : f.graph.AddConst("goes_on", Truth(goes_on == 1));
  const Node& loop = AddLoop(f, limit, condition, f.Input({3}));
  const ValueId last = loop.outputs[0], all = loop.outputs[1];
  f.Output({direct ? last : f.Op("Neg", "after", {last}), all});
  f.KeepsResults([&] { CHECK(InferShapesAndFold(f.graph, f.journal)); }, 0);
  CHECK(f.Count("onnx::Loop") == 0);
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[1]).shape == Shape{0, 3});
  CHECK(f.graph.desc(f.graph.NetOutput()->inputs[1]).dtype == DT_FLOAT);
}

TEST_CASE("a Loop that runs, may run, or collects what has no known shape, stays") {
  const int kind = GENERATE(0, 1, 2);
  PassFixture f;
  const ValueId one = f.graph.AddConst("trips", Tensor::From<int64_t>(DT_INT64, {}, {kind == 2 ? 0 : 1}));
  const ValueId goes_on = kind == 1 ? f.Op("Cast", "goes_on", {f.Input({})}) : f.graph.AddConst("goes_on", Truth(true));
  if (kind == 1) f.graph.producer(goes_on).attrs.Set("dst_type", static_cast<int64_t>(DT_BOOL));
  const ValueId x = kind == 2 ? f.graph.AddData("open", 0, TensorDesc(DT_FLOAT, Shape{-1})) : f.Input({3});
  const Node& loop = AddLoop(f, one, goes_on, x, kind == 2 ? -1 : 3);
  const ValueId last = loop.outputs[0], all = loop.outputs[1];
  f.Output({last, all});
  InferShapesAndFold(f.graph, f.journal);
  CHECK(f.Count("onnx::Loop") == 1);
}

TEST_CASE("branches and loops that never run stay where their pass is switched off, or its rewrites are used up") {
  const bool off = GENERATE(false, true);
  PassFixture f;
  const ValueId x = f.Input({3});
  f.Output({AddCase(f, f.graph.AddConst("index", Tensor::Ints({1})), x), AddWhile(f, x, false, true),
            AddLoop(f, f.graph.AddConst("trips", Tensor::From<int64_t>(DT_INT64, {}, {0})), kNoId, x).outputs[0]});
  if (!off) f.journal.set_limit(0);
  InferencePasses passes;
  passes.conditions = !off;
  f.KeepsResults([&] { InferShapesAndFold(f.graph, f.journal, nullptr, passes); }, 0);
  CHECK(f.Count("Case") + f.Count("While") + f.Count("onnx::Loop") == 3);
}
