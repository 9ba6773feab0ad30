#include "compiler/passes/swish_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

TEST_CASE("x times its sigmoid becomes a Swish, another's sigmoid does not") {
  NormFixture f;
  const ValueId x = f.Input({5});
  const ValueId other = f.Input({5});
  const ValueId mine = f.Op("Mul", "mine", {f.Op("Sigmoid", "s1", {x}), x});
  const ValueId others = f.Op("Mul", "others", {x, f.Op("Sigmoid", "s2", {other})});
  f.Output({mine, others});
  f.KeepsResults([&] { CHECK(SwishFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("Swish") == 1);
  CHECK(f.Count("Sigmoid") == 1);
}

TEST_CASE("a factor inside the sigmoid is the scale of the Swish") {
  NormFixture f;
  const ValueId x = f.Input({3, 5});
  f.Output({f.Op("Mul", "y", {x, f.Op("Sigmoid", "", {f.Op("Mul", "", {f.Scalar(1.702f), x})})})});
  f.KeepsResults([&] { CHECK(SwishFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.graph.Find("y")->Attr<float>("scale") == Approx(1.702f));
  CHECK(f.CountTasks() == 1);
}

TEST_CASE("a sigmoid that is needed anyway stays, and so does the product with it") {
  NormFixture f;
  const ValueId x = f.Input({5});
  const ValueId gate = f.Op("Sigmoid", "sigmoid", {x});
  f.Output({f.Op("Mul", "", {x, gate}), gate});
  CHECK_FALSE(SwishFusionPass(f.graph, f.context));
}
