#include "compiler/passes/unused_captures.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

// A branch that captures inputs 1 and 2 of its owner and computes `type` of those that `uses` says.
void AddBranch(Graph& graph, Node& owner, const char* name, std::vector<int64_t> uses) {
  Graph& branch = graph.AddSubgraph(owner, name);
  std::vector<ValueId> captured;
  for (int64_t i = 1; i <= 2; ++i) {
    const ValueId data = branch.AddData("", i - 1, TensorDesc(DT_FLOAT, {4}));
    branch.producer(data).attrs.Set("_parent_node_index", i);
    captured.push_back(data);
  }
  ValueId value = captured[static_cast<size_t>(uses[0] - 1)];
  for (const int64_t use : uses) {
    value = branch.Add("Add", "", {value, captured[static_cast<size_t>(use - 1)]}, 1).outputs[0];
  }
  branch.Add("NetOutput", "", {value}, 0);
}

Node& AddChoice(PassFixture& f) {
  f.inputs.push_back(Tensor::From<bool>(DT_BOOL, {}, {true}));
  const ValueId go = f.graph.AddData("go", 0, TensorDesc(DT_BOOL, {}));
  const ValueId a = f.Input({4});
  const ValueId b = f.Input({4});
  return f.graph.Add("If", "choice", {go, a, b}, 1);
}

}  // namespace

TEST_CASE("a captured value that no branch uses is captured no more, and the rest is renumbered") {
  PassFixture f;
  Node& choice = AddChoice(f);
  AddBranch(f.graph, choice, "then_branch", {2});
  AddBranch(f.graph, choice, "else_branch", {2, 2});
  f.Output({choice.outputs[0]});
  f.KeepsResults([&] { CHECK(UnusedArgsCleanPass(f.graph, f.context)); }, 0);
  CHECK(choice.inputs.size() == 2);
  for (const Subgraph& nested : choice.subgraphs) {
    const std::vector<NodeId> data = nested.graph->Inputs();
    REQUIRE(data.size() == 1);
    CHECK(nested.graph->node(data[0]).attrs.Get<int64_t>("_parent_node_index", -1) == 1);
  }
}

TEST_CASE("what one of the branches uses stays") {
  PassFixture f;
  Node& choice = AddChoice(f);
  AddBranch(f.graph, choice, "then_branch", {1});
  AddBranch(f.graph, choice, "else_branch", {2});
  f.Output({choice.outputs[0]});
  CHECK_FALSE(UnusedArgsCleanPass(f.graph, f.context));
  CHECK(choice.inputs.size() == 3);
}
