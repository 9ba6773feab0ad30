#include "compiler/passes/instance_norm_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

TEST_CASE("an instance norm that is spelled out becomes one operator, with its scale and shift") {
  const bool affine = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 4, 5});
  const ValueId distance = f.Op("Sub", "", {x, f.Mean(x, {2, 3})});
  ValueId y = f.Over(distance, f.Mean(f.Squared(distance, 0), {2, 3}), 0);
  if (affine) y = f.Op("Add", "", {f.Op("Mul", "", {y, f.Weights({1, 3, 1, 1}, 1)}), f.Weights({3, 1, 1}, 2)});
  f.Output({y});
  f.KeepsResults([&] { CHECK(InstanceNormFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Count("InstanceNorm") == 1);
}

TEST_CASE("an instance norm without parameters takes in those that follow, a scale of rows stays") {
  const bool rows = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 8});
  const ValueId one = f.graph.AddConst("one", Tensor::From<float>(DT_FLOAT, {3}, std::vector<float>(3, 1.0f)));
  const ValueId zero = f.graph.AddConst("zero", Tensor::From<float>(DT_FLOAT, {3}, std::vector<float>(3, 0.0f)));
  const ValueId norm = f.Op("InstanceNorm", "norm", {x, one, zero});
  f.graph.producer(norm).attrs.Set("data_format", "NCHW");
  f.Output({f.Op("Mul", "y", {norm, f.Weights(rows ? Shape{8} : Shape{3, 1}, 1)})});
  f.KeepsResults([&] { CHECK(InstanceNormFusionPass(f.graph, f.context) == !rows); }, 1e-5);
  CHECK(f.CountTasks() == (rows ? 2 : 1));
}
