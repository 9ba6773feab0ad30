#include "compiler/passes/group_norm_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

namespace {

struct GroupFixture : NormFixture {
  ValueId Ints(std::vector<int64_t> values) { return graph.AddConst("shape", Tensor::Ints(values)); }
  ValueId All(float value, int64_t count) {
    return graph.AddConst("all", Tensor::From<float>(DT_FLOAT, {count}, std::vector<float>(static_cast<size_t>(count), value)));
  }
  // As PyTorch exports it.
  ValueId Exported(ValueId x, std::vector<int64_t> shape, int64_t groups, float gamma = 1) {
    const ValueId split = Op("Reshape", "", {x, Ints({0, groups, -1})});
    const ValueId norm = Op("InstanceNorm", "norm", {split, All(gamma, groups), All(0, groups)});
    graph.producer(norm).attrs.Set("epsilon", AttrValue(1e-5f));
    graph.producer(norm).attrs.Set("data_format", "NCHW");
    return Op("Reshape", "", {norm, Ints(std::move(shape))});
  }
};

}  // namespace

TEST_CASE("a group norm as it is exported becomes one operator") {
  const bool affine = GENERATE(false, true);
  GroupFixture f;
  ValueId y = f.Exported(f.Input({2, 6, 4, 5}), {2, 6, 4, 5}, 3);
  if (affine) y = f.Op("Add", "", {f.Op("Mul", "", {y, f.Weights({6, 1, 1}, 1)}), f.Weights({1, 6, 1, 1}, 2)});
  f.Output({y});
  f.KeepsResults([&] { CHECK(GroupNormFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Count("GroupNormV2") == 1);
  CHECK_FALSE(GroupNormFusionPass(f.graph, f.context));
}

TEST_CASE("parameters of groups, or a result of another shape, are no group norm") {
  const bool shape = GENERATE(false, true);
  GroupFixture f;
  const ValueId x = f.Input({2, 6, 4});
  f.Output({shape ? f.Exported(x, {2, 4, 6}, 3) : f.Exported(x, {2, 6, 4}, 3, 2)});
  CHECK_FALSE(GroupNormFusionPass(f.graph, f.context));
}

TEST_CASE("an unknown batch does not matter to a group norm") {
  GroupFixture f;
  const ValueId x = f.Input({2, 6, 4});
  f.Output({f.Exported(x, {-1, 6, 4}, 3)});
  f.graph.desc(x).SetShape({-1, 6, 4});
  InferShapes(f.graph);
  CHECK(GroupNormFusionPass(f.graph, f.context));
}
