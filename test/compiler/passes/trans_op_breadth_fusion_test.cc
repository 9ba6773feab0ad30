#include "compiler/passes/trans_op_breadth_fusion.h"

#include "compiler/layout/choose_formats.h"
#include "compiler/precision/choose_dtypes.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("one Cast serves all who take a value in the same type") {
  PassFixture f;
  const ValueId x = f.Input({2, 7});
  f.Output({f.Op("Exp", "a", {x}), f.Op("Mul", "b", {x, x}), f.Op("Add", "c", {x, f.Input({2, 7})})});
  ChooseDtypes(f.graph, PrecisionMode::kForceFp16, {}, f.journal);
  CHECK(f.Count("Cast") == 5 + 3);  // four uses of x, one of the other input, three outputs
  f.KeepsResults([&] { CHECK(TransOpBreadthFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Cast") == 2 + 3);
  const Node& cast = f.graph.producer(f.graph.Find("a")->inputs[0]);
  CHECK(f.graph.producer(f.graph.Find("c")->inputs[0]).id == cast.id);
  CHECK(f.graph.origins().Flatten(cast.origin) == std::vector<std::string>{"a", "b", "c"});
  CHECK_FALSE(TransOpBreadthFusionPass(f.graph, f.context));
}

TEST_CASE("one TransData serves all who take a value in the same form") {
  PassFixture f;
  const ValueId x = f.Input({1, 3, 5, 5});
  const ValueId a = f.Conv("a", x, f.Weights({4, 3, 3, 3}, 1)), b = f.Conv("b", x, f.Weights({4, 3, 3, 3}, 2));
  f.Output({f.Op("Flatten", "flat", {a}), a, b});
  ChooseFormats(f.graph, f.journal);
  CHECK(f.Count("TransData") == 5);
  f.KeepsResults([&] { CHECK(TransOpBreadthFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("TransData") == 3);
  CHECK(f.graph.Find("a")->inputs[0] == f.graph.Find("b")->inputs[0]);
}

TEST_CASE("Casts to other types, and those that the user keeps on streams of their own, stay") {
  PassFixture f;
  const ValueId x = f.Input({2, 7});
  std::vector<ValueId> results;
  for (const DataType to : {DT_FLOAT16, DT_BF16, DT_FLOAT16}) {
    const ValueId cast = f.Op("Cast", "cast", {x});
    f.graph.producer(cast).attrs.Set("dst_type", static_cast<int64_t>(to));
    results.push_back(f.Op("Neg", "neg", {cast}));
  }
  f.graph.producer(f.graph.producer(results[2]).inputs[0]).attrs.Set("_stream_label", "own");
  f.Output(results);
  f.KeepsResults([&] { CHECK_FALSE(TransOpBreadthFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Cast") == 3);
}
