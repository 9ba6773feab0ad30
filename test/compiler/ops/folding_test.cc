// Folding grows a model by 64 KiB at most, counts what it makes superfluous, and tells what it leaves.
#include "compiler/ops/folding.h"

#include "test/compiler/pass_fixture.h"

namespace atc::test {
namespace {

ValueId Ints(PassFixture& f, std::vector<int64_t> values) { return f.graph.AddConst("ints", Tensor::Ints(values)); }

// [rows, 1] + [1, columns]: nothing of it repeats.
ValueId OuterSum(PassFixture& f, const std::string& name, int64_t rows, int64_t columns, uint32_t seed) {
  return f.Op("Add", name, {f.Weights({rows, 1}, seed), f.Weights({1, columns}, seed + 1)});
}

FoldLedger Infer(PassFixture& f) {
  FoldLedger ledger;
  InferShapesAndFold(f.graph, f.journal, &ledger);
  f.graph.Verify(true);
  return ledger;
}

TEST_CASE("what grows the model by more than 64 KiB is left and told") {
  PassFixture f;
  // 4 * rows * 128 bytes of result; 4 * (rows + 128) of operands.
  const int64_t rows = GENERATE(128, 130, 200);
  f.Output({OuterSum(f, "sum", rows, 128, 1)});
  const FoldLedger ledger = Infer(f);
  const int64_t growth = 4 * (rows * 128 - rows - 128);
  if (growth <= 64 * 1024) {
    CHECK(f.Count("Add") == 0);
    CHECK(ledger.grown == growth);
    CHECK(ledger.left.empty());
  } else {
    CHECK(f.Count("Add") == 1);
    CHECK(ledger.grown == 0);
    REQUIRE(ledger.left.size() == 1);
    CHECK(ledger.left[0].node == "sum");
    CHECK(ledger.left[0].type == "Add");
    CHECK(ledger.left[0].bytes == 4 * rows * 128);
  }
}

TEST_CASE("the growth of many folds is counted together") {
  PassFixture f;
  std::vector<ValueId> sums;
  for (uint32_t i = 0; i < 10; ++i) sums.push_back(OuterSum(f, "sum" + std::to_string(i), 64, 40, 10 * i));
  f.Output(sums);
  const FoldLedger ledger = Infer(f);
  CHECK(f.Count("Add") == 10 - 65536 / (4 * (64 * 40 - 64 - 40)));
  CHECK(ledger.grown <= kMaxFoldGrowth);
  CHECK(static_cast<int>(ledger.left.size()) == f.Count("Add"));
}

TEST_CASE("an operand that others use is not superfluous") {
  PassFixture f;
  const bool shared = GENERATE(false, true);
  const ValueId a = f.Weights({200, 100}, 1);
  const ValueId doubled = f.Op("Add", "doubled", {a, f.Weights({1, 1}, 2)});
  f.Output(shared ? std::vector<ValueId>{doubled, f.Op("Mul", "use", {a, f.Input({200, 100})})} : std::vector<ValueId>{doubled});
  const FoldLedger ledger = Infer(f);
  CHECK(f.Count("Add") == (shared ? 1 : 0));
  CHECK(ledger.left.size() == (shared ? 1 : 0));
  if (!shared) CHECK(ledger.grown == -4);
}

TEST_CASE("what repeats counts as it is stored, whatever its size") {
  PassFixture f;
  const ValueId fill = f.Op("Fill", "fill", {Ints(f, {512, 512, 3, 3}), f.graph.AddConst("value", Tensor::Scalar(0.5f))});
  const ValueId expanded = f.Op("Expand", "expanded", {f.Weights({64, 1}, 5), Ints(f, {64, 4096})});
  f.Output({fill, expanded});
  const FoldLedger ledger = Infer(f);
  CHECK(f.Count("Fill") + f.Count("Expand") == 0);
  CHECK(ledger.grown <= 0);
  const std::vector<Tensor> results = Evaluate(f.graph, {});
  CHECK(results[0].shape() == Shape{512, 512, 3, 3});
  CHECK(results[0].Data<float>()[512 * 512 * 9 - 1] == 0.5f);
  CHECK(results[1].Data<float>()[4096 * 63] == RandomFloats({64, 1}, 5).Data<float>()[63]);
}

TEST_CASE("what repeats is as small for what reads it later as it is stored") {
  PassFixture f;
  const ValueId rows = f.Op("Expand", "rows", {f.Weights({1, 200}, 1), Ints(f, {300, 200})});
  f.Output({f.Op("Add", "sum", {rows, f.Weights({300, 1}, 2)})});
  FoldLedger ledger;
  for (int times = 0; times < 3; ++times) {  // inference runs more than once over a model
    InferShapesAndFold(f.graph, f.journal, &ledger);
    CHECK(f.Count("Add") == 1);
    CHECK(ledger.grown <= 0);
    CHECK(ledger.left.size() == 1);
  }
  ForgetStoredBytes(f.graph);
  for (NodeId id = 0; id < f.graph.node_capacity(); ++id) CHECK_FALSE(f.graph.node(id).attrs.Has(kStoredBytesAttr));
}

TEST_CASE("a constant that another graph holds too is not superfluous") {
  const bool elsewhere = GENERATE(false, true);
  PassFixture f;
  Tensor truth = Tensor::Allocate(DT_BOOL, {});
  f.inputs.push_back(truth);
  const ValueId condition = f.graph.AddData("", 0, TensorDesc(DT_BOOL, Shape{}));
  Node& choice = f.graph.Add("If", "choice", {condition}, 1);
  const ValueId result = choice.outputs[0];
  const Tensor weights = RandomFloats({200, 100}, 1);
  for (const char* name : {"then_branch", "else_branch"}) {
    Graph& branch = f.graph.AddSubgraph(f.graph.producer(result), name);
    const bool turns = std::string(name) == "then_branch";
    const ValueId held = branch.AddConst("held", turns || elsewhere ? weights : RandomFloats({200, 100}, 2));
    const ValueId perm = branch.AddConst("perm", Tensor::Ints({1, 0}));
    const ValueId y = branch.Add(turns ? "Transpose" : "Neg", "turn", turns ? std::vector{held, perm} : std::vector{held}, 1).outputs[0];
    branch.Add("NetOutput", "out", {y}, 0);
  }
  f.graph.Add("NetOutput", "Node_Output", {result}, 0);
  const FoldLedger ledger = Infer(f);
  const Graph& branch = *f.graph.Find("choice")->subgraphs[0].graph;
  CHECK((branch.Find("turn") != nullptr) == elsewhere);
  CHECK(ledger.grown <= 0);
}

TEST_CASE("constants that an Identity names anew are not stored again") {
  PassFixture f;
  const ValueId shared = f.Weights({128, 128}, 1);  // 64 KiB
  std::vector<ValueId> products;
  for (int i = 0; i < 4; ++i) {
    const ValueId again = f.Op("Identity", "again" + std::to_string(i), {shared});
    products.push_back(f.Op("Mul", "product" + std::to_string(i), {f.Input({128, 128}), again}));
  }
  f.Output(products);
  CHECK(Infer(f).grown == 0);
  CHECK(f.Count("Identity") == 0);
  CHECK(f.Count("Const") == 1);
}

TEST_CASE("an output that is a constant named anew stays a value of its own") {
  PassFixture f;
  const ValueId shared = f.Weights({3}, 1);
  f.Output({f.Op("Identity", "one", {shared}), f.Op("Identity", "two", {shared})});
  f.KeepsResults([&] { Infer(f); }, 0);
  const Node& net_output = *f.graph.NetOutput();
  CHECK(net_output.inputs[0] != net_output.inputs[1]);
}

TEST_CASE("few bytes take the place of a node however far the model has grown") {
  PassFixture f;
  const ValueId large = OuterSum(f, "large", 128, 130, 1);  // leaves 8 bytes of the 64 KiB
  const ValueId few = OuterSum(f, "few", 8, 8, 3);          // 256 bytes
  const ValueId more = OuterSum(f, "more", 8, 9, 5);        // 288 bytes in place of 68
  f.Output({large, few, more});
  const FoldLedger ledger = Infer(f);
  REQUIRE(ledger.left.size() == 1);
  CHECK(ledger.left[0].node == "more");
}

TEST_CASE("a chain through something large folds when its end is small") {
  PassFixture f;
  const ValueId sum = OuterSum(f, "sum", 300, 300, 1);
  const ValueId relu = f.Op("Relu", "relu", {sum});
  const ValueId total = f.Op("ReduceSum", "total", {relu, Ints(f, {0, 1})});
  const bool used = GENERATE(false, true);
  f.Output(used ? std::vector<ValueId>{total, relu} : std::vector<ValueId>{total});
  f.KeepsResults([&] { Infer(f); }, 1e-5);
  CHECK(f.Count("ReduceSum") == 0);
  CHECK(f.Count("Relu") == (used ? 1 : 0));
  CHECK(f.Count("Add") == (used ? 1 : 0));
}

TEST_CASE("a result without elements is an empty constant, whatever its operands are") {
  PassFixture f;
  const ValueId x = f.Input({4, 3});
  const ValueId none = f.Op("StridedSliceV2", "none", {x, Ints(f, {2}), Ints(f, {2}), Ints(f, {1})});
  const ValueId joined = f.Op("ConcatD", "joined", {none, f.Op("Relu", "relu", {x})});
  f.graph.producer(joined).attrs.Set("concat_dim", int64_t{1});
  f.Output({joined});
  f.KeepsResults([&] { Infer(f); }, 0);
  CHECK(f.Count("StridedSliceV2") == 0);
}

TEST_CASE("a node that forbids folding stays") {
  PassFixture f;
  const ValueId sum = f.Op("Add", "sum", {f.Weights({3}, 1), f.Weights({3}, 2)});
  f.graph.producer(sum).attrs.Set(GENERATE("_do_not_constant_folding", "no_need_constant_folding"), true);
  f.Output({sum});
  Infer(f);
  CHECK(f.Count("Add") == 1);
}

// Which of three nodes that follow from constants, from a shape, and that have no elements, are folded by which pass.
TEST_CASE("each kind of folding has a pass of its own") {
  const InferencePasses passes = GENERATE(InferencePasses{true, false, false}, InferencePasses{false, true, false},
                                          InferencePasses{false, false, true}, InferencePasses{false, false, false});
  PassFixture f;
  const ValueId x = f.Input({2, 3});
  const ValueId sum = f.Op("Add", "sum", {f.Weights({3}, 1), f.Weights({3}, 2)});
  const ValueId dims = f.Op("Shape", "dims", {x});
  f.graph.producer(dims).attrs.Set("dtype", static_cast<int64_t>(DT_INT64));
  const ValueId none = f.Op("StridedSliceV2", "none", {x, Ints(f, {0}), Ints(f, {0})});
  f.Output({f.Op("Add", "with_x", {x, sum}), f.Op("Neg", "dims_used", {dims}), f.Op("Relu", "none_used", {none})});
  f.KeepsResults([&] { InferShapesAndFold(f.graph, f.journal, nullptr, passes); }, 0);
  CHECK((f.graph.Find("sum") == nullptr) == passes.constants);
  CHECK((f.graph.Find("dims") == nullptr) == passes.dimensions);
  CHECK((f.graph.Find("none") == nullptr) == passes.empty);
  for (const auto& [pass, counts] : f.journal.counts()) {
    CHECK(pass == (passes.constants ? kConstantFolding : passes.dimensions ? kDimensionCompute : kReplaceEmpty));
  }
}

}  // namespace
}  // namespace atc::test
