#include "compiler/passes/hard_swish_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

TEST_CASE("a hard swish that is spelled out becomes one operator, a further factor stays") {
  NormFixture f;
  const ValueId x = f.Input({2, 3, 4});
  const ValueId raised = f.Op("Add", "add", {x, f.Scalar(3)});
  const ValueId clipped = f.Op("ClipByValue", "clip", {raised, f.Scalar(0), f.Scalar(6)});
  const ValueId product = f.Op("Mul", "mul", {x, clipped});
  const ValueId y = f.Op("RealDiv", "div", {product, f.Scalar(6)});
  const ValueId scaled = f.Op("Mul", "scale", {f.Scalar(1.5f), y});
  f.Output({scaled});
  f.KeepsResults([&] { CHECK(HardSwishFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("HardSwish") == 1);
  CHECK(f.Count("Mul") == 1);
  CHECK(f.CountTasks() == 2);
  CHECK_FALSE(HardSwishFusionPass(f.graph, f.context));
}

TEST_CASE("gates by HardSigmoid, by Relu6 and clipped at one; a factor that is missing is multiplied in") {
  const int way = GENERATE(0, 1, 2, 3);
  NormFixture f;
  const ValueId x = f.Input({2, 12});
  ValueId gate;
  if (way == 0) {
    gate = f.Op("HardSigmoid", "", {x});
    f.graph.producer(gate).attrs.Set("alpha", AttrValue(1.0f / 6));
    f.graph.producer(gate).attrs.Set("beta", AttrValue(0.5f));
  } else if (way == 3) {
    const ValueId line = f.Op("Add", "", {f.Op("Mul", "", {x, f.Scalar(0.16666667f)}), f.Scalar(0.5f)});
    gate = f.Op("ClipByValue", "", {line, f.Scalar(0), f.Scalar(1)});
  } else {
    gate = f.Op("Relu6", "", {f.Op("Add", "", {f.Scalar(3), x})});
    if (way == 1) gate = f.Op("Mul", "", {gate, f.Scalar(1.0f / 6)});
  }
  f.Output({f.Op("Mul", "y", {x, gate})});
  f.KeepsResults([&] { CHECK(HardSwishFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("HardSwish") == 1);
  CHECK(f.CountTasks() == (way == 2 ? 2 : 1));
  CHECK(f.graph.Find("y")->type() == (way == 2 ? "Mul" : "HardSwish"));
}

TEST_CASE("what is nearly a hard swish stays") {
  NormFixture f;
  const ValueId x = f.Input({5});
  const ValueId clipped = f.Op("ClipByValue", "", {f.Op("Add", "", {x, f.Scalar(2.5f)}), f.Scalar(0), f.Scalar(6)});
  const ValueId steep = f.Op("HardSigmoid", "", {x});
  f.graph.producer(steep).attrs.Set("alpha", AttrValue(0.2f));
  f.Output({f.Op("Mul", "", {x, clipped}), f.Op("Mul", "", {x, steep})});
  CHECK_FALSE(HardSwishFusionPass(f.graph, f.context));
}
