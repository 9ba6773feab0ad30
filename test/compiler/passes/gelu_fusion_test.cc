#include "compiler/passes/gelu_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

TEST_CASE("the ways to write an erf GELU become one operator") {
  const int order = GENERATE(0, 1, 2, 3);
  NormFixture f;
  const ValueId x = f.Op("Add", "x", {f.Input({4, 7}), f.Weights({7}, 1)});
  const ValueId erf = f.Op("Erf", "erf", {order == 0 ? f.Op("RealDiv", "div", {x, f.Scalar(1.41421356f)})
                                                     : f.Op("Mul", "in", {x, f.Scalar(0.70710678f)})});
  const ValueId gate = f.Op("Add", "add", {f.Scalar(1), erf});
  const ValueId half = f.Scalar(0.5f);
  const ValueId y = order == 0   ? f.Op("Mul", "m2", {f.Op("Mul", "m1", {x, gate}), half})
                    : order == 1 ? f.Op("Mul", "m2", {f.Op("Mul", "m1", {x, half}), gate})
                    : order == 2 ? f.Op("Mul", "m2", {x, f.Op("Mul", "m1", {gate, half})})
                                 : f.Op("Add", "m2", {f.Op("Mul", "a", {x, half}),
                                                      f.Op("Mul", "b", {f.Op("Mul", "c", {erf, x}), half})});
  if (order == 3) f.graph.Remove(f.graph.Find("add")->id);
  f.Output({y});
  f.KeepsResults([&] { CHECK(GeluFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 2);
  CHECK(f.graph.Find("m2")->type() == "GeluV2");
  CHECK_FALSE(GeluFusionPass(f.graph, f.context));
}

TEST_CASE("the ways to write a tanh GELU become one operator") {
  const int cube = GENERATE(0, 1, 2);
  const bool outside = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({4, 7});
  ValueId inner;
  if (cube == 2) {  // x * (1 + 0.044715 * x * x)
    const ValueId square = f.Op("Mul", "", {f.Op("Mul", "", {x, f.Scalar(0.044715f)}), x});
    inner = f.Op("Mul", "", {x, f.Op("Add", "", {square, f.Scalar(1)})});
  } else {
    const ValueId power = cube == 0 ? f.Op("Pow", "", {x, f.Scalar(3)}) : f.Op("Mul", "", {f.Op("Mul", "", {x, x}), x});
    inner = f.Op("Add", "", {x, f.Op("Mul", "", {power, f.Scalar(0.044715f)})});
  }
  const ValueId tanh = f.Op("Tanh", "", {f.Op("Mul", "", {f.Scalar(0.7978845608f), inner})});
  const ValueId gate = f.Op("Add", "", {tanh, f.Scalar(1)});
  const ValueId half = f.Scalar(0.5f);
  f.Output({outside ? f.Op("Mul", "y", {f.Op("Mul", "", {x, gate}), half})
                    : f.Op("Mul", "y", {f.Op("Mul", "", {x, half}), gate})});
  f.KeepsResults([&] { CHECK(GeluFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.graph.Find("y")->type() == "Gelu");
}

TEST_CASE("another cubic factor, or a gate that others read, is no GELU") {
  const bool others = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({5});
  const ValueId cube = f.Op("Mul", "", {f.Op("Pow", "", {x, f.Scalar(3)}), f.Scalar(others ? 0.044715f : 0.05f)});
  const ValueId tanh = f.Op("Tanh", "", {f.Op("Mul", "", {f.Scalar(0.7978845608f), f.Op("Add", "", {x, cube})})});
  const ValueId gate = f.Op("Add", "", {tanh, f.Scalar(1)});
  std::vector<ValueId> outputs = {f.Op("Mul", "", {f.Op("Mul", "", {x, f.Scalar(0.5f)}), gate})};
  if (others) outputs.push_back(gate);
  f.Output(outputs);
  CHECK_FALSE(GeluFusionPass(f.graph, f.context));
}
