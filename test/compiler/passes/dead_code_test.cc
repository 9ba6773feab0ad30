#include "compiler/passes/dead_code.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("what no output needs goes, inputs stay") {
  PassFixture f;
  const ValueId x = f.Input({2});
  f.Input({3});
  f.Op("Exp", "unused", {x});
  f.Output({f.Op("Relu", "used", {x})});
  f.KeepsResults([&] { CHECK(PrunePass(f.graph, f.context)); }, 0);
  CHECK(f.graph.Find("unused") == nullptr);
  CHECK(f.Count("Data") == 2);
}

TEST_CASE("constants that nothing uses go, operators without use stay where only these are asked for") {
  PassFixture f;
  const ValueId x = f.Input({2});
  f.Weights({2}, 1);
  f.Op("Add", "unused", {x, f.Weights({2}, 2)});
  f.Output({f.Op("Relu", "used", {x})});
  f.KeepsResults([&] { CHECK(UnusedConstPass(f.graph, f.context)); }, 0);
  CHECK(f.Count("Const") == 1);
  CHECK(f.graph.Find("unused") != nullptr);
  CHECK_FALSE(UnusedConstPass(f.graph, f.context));
}
