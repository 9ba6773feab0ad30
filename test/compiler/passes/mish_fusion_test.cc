#include "compiler/passes/mish_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

TEST_CASE("a mish that is spelled out becomes one operator") {
  const int way = GENERATE(0, 1, 2);
  NormFixture f;
  const ValueId x = f.Input({3, 5});
  const ValueId softplus = way == 0   ? f.Op("Softplus", "", {x})
                           : way == 1 ? f.Op("Log", "", {f.Op("Add", "", {f.Op("Exp", "", {x}), f.Scalar(1)})})
                                      : f.Op("Log1p", "", {f.Op("Exp", "", {x})});
  f.Output({f.Op("Mul", "y", {x, f.Op("Tanh", "", {softplus})})});
  f.KeepsResults([&] { CHECK(MishFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.graph.Find("y")->type() == "Mish");
}

TEST_CASE("the tanh of another softplus is no mish") {
  NormFixture f;
  const ValueId x = f.Input({3, 5});
  f.Output({f.Op("Mul", "", {x, f.Op("Tanh", "", {f.Op("Softplus", "", {f.Input({3, 5})})})})});
  CHECK_FALSE(MishFusionPass(f.graph, f.context));
}
