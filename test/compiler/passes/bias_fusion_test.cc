#include "compiler/passes/bias_fusion.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("an Add of one constant per channel becomes a bias, another does not") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId per_channel = f.Op("Add", "add", {y, f.Weights({4, 1, 1}, 2)});
  const ValueId per_column = f.Op("Add", "add2", {per_channel, f.Weights({5}, 3)});
  f.Output({per_column});
  f.KeepsResults([&] { CHECK(BiasaddFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("Add") == 1);
  CHECK_FALSE(BiasaddFusionPass(f.graph, f.context));
}
