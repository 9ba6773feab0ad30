#include "compiler/passes/activation_fusion.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

namespace {

ValueId Scalar(PassFixture& f, float value) {
  return f.graph.AddConst("scalar", Tensor::From<float>(DT_FLOAT, Shape(std::vector<int64_t>{}), {value}));
}

}  // namespace

TEST_CASE("a hard swish that is spelled out becomes one operator, a further factor stays") {
  PassFixture f;
  const ValueId x = f.Input({2, 3, 4});
  const ValueId raised = f.Op("Add", "add", {x, Scalar(f, 3)});
  const ValueId clipped = f.Op("ClipByValue", "clip", {raised, Scalar(f, 0), Scalar(f, 6)});
  const ValueId product = f.Op("Mul", "mul", {x, clipped});
  const ValueId y = f.Op("RealDiv", "div", {product, Scalar(f, 6)});
  const ValueId scaled = f.Op("Mul", "scale", {Scalar(f, 1.5f), y});
  f.Output({scaled});
  f.KeepsResults([&] { CHECK(ActivationFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("HardSwish") == 1);
  CHECK(f.Count("Mul") == 1);
  CHECK(f.Count("ClipByValue") == 0);
  CHECK_FALSE(ActivationFusionPass(f.graph, f.context));
}

TEST_CASE("x times its sigmoid becomes a Swish, another's sigmoid does not") {
  PassFixture f;
  const ValueId x = f.Input({5});
  const ValueId other = f.Input({5});
  const ValueId mine = f.Op("Mul", "mine", {f.Op("Sigmoid", "s1", {x}), x});
  const ValueId others = f.Op("Mul", "others", {x, f.Op("Sigmoid", "s2", {other})});
  f.Output({mine, others});
  f.KeepsResults([&] { CHECK(ActivationFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("Swish") == 1);
  CHECK(f.Count("Sigmoid") == 1);
}

TEST_CASE("the three ways to write an erf GELU become one operator") {
  const int order = GENERATE(0, 1, 2);
  PassFixture f;
  const ValueId x = f.Input({4, 7});
  const ValueId erf = f.Op("Erf", "erf", {order == 0 ? f.Op("RealDiv", "div", {x, Scalar(f, 1.41421356f)})
                                                     : f.Op("Mul", "in", {x, Scalar(f, 0.70710678f)})});
  const ValueId gate = f.Op("Add", "add", {Scalar(f, 1), erf});
  const ValueId half = Scalar(f, 0.5f);
  const ValueId y = order == 0   ? f.Op("Mul", "m2", {f.Op("Mul", "m1", {x, gate}), half})
                    : order == 1 ? f.Op("Mul", "m2", {f.Op("Mul", "m1", {x, half}), gate})
                                 : f.Op("Mul", "m2", {x, f.Op("Mul", "m1", {gate, half})});
  f.Output({y});
  f.KeepsResults([&] { CHECK(ActivationFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("GeluV2") == 1);
  CHECK(f.Count("Erf") == 0);
}

TEST_CASE("what is nearly an activation stays") {
  PassFixture f;
  const ValueId x = f.Input({5});
  const ValueId raised = f.Op("Add", "add", {x, Scalar(f, 2.5f)});
  const ValueId clipped = f.Op("ClipByValue", "clip", {raised, Scalar(f, 0), Scalar(f, 6)});
  const ValueId gate = f.Op("Sigmoid", "sigmoid", {x});
  const ValueId first = f.Op("Mul", "mul", {x, clipped});
  const ValueId second = f.Op("Mul", "mul2", {x, gate});
  f.Output({first, second, gate});  // the sigmoid is needed anyway
  CHECK_FALSE(ActivationFusionPass(f.graph, f.context));
}
