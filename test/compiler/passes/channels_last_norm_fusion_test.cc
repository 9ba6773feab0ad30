#include "compiler/passes/channels_last_norm_fusion.h"

#include "compiler/passes/group_norm_fusion.h"
#include "compiler/passes/instance_norm_fusion.h"
#include "compiler/passes/layer_norm_fusion.h"
#include "test/compiler/passes/attention_fixture.h"

using namespace atc;
using test::AttentionFixture;

namespace {

// As TensorFlow's batch_normalization writes it where `spread`: x * a + (shift - mean * a).
ValueId Norm(AttentionFixture& f, ValueId x, std::vector<int64_t> axes, ValueId scale, ValueId shift, bool spread) {
  const ValueId mean = f.Mean(x, axes);
  const ValueId variance = f.Mean(f.Op("SquaredDifference", "", {x, mean}), axes);
  if (!spread) {
    ValueId y = f.Over(f.Op("Sub", "", {x, mean}), variance, 1);
    if (scale != kNoId) y = f.Op("Mul", "", {scale, y});
    return shift == kNoId ? y : f.Op("Add", "", {y, shift});
  }
  ValueId inverse = f.Op("Rsqrt", "", {f.Op("Add", "", {variance, f.Scalar(1e-3f)})});
  if (scale != kNoId) inverse = f.Op("Mul", "", {inverse, scale});
  const ValueId product = f.Op("Mul", "", {x, inverse});
  if (shift == kNoId) return f.Op("Add", "", {product, f.Op("Mul", "", {f.Op("Neg", "", {mean}), inverse})});
  return f.Op("Add", "", {product, f.Op("Sub", "", {shift, f.Op("Mul", "", {mean, inverse})})});
}

}  // namespace

TEST_CASE("a norm over all between batch and last channels is an instance norm between transposes") {
  const bool spread = GENERATE(false, true), affine = GENERATE(false, true);
  const Shape shape = GENERATE(Shape{2, 3, 5, 4}, Shape{2, 7, 4});
  AttentionFixture f;
  std::vector<int64_t> axes{1};
  if (shape.rank() == 4) axes.push_back(2);
  const ValueId scale = affine ? f.Weights({4}, 3) : kNoId, shift = affine ? f.Weights({1, 4}, 4) : kNoId;
  f.Output({Norm(f, f.Input(shape), axes, scale, shift, spread)});
  f.KeepsResults([&] { CHECK(ChannelsLastNormFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.CountTasks() == 3);
  CHECK(f.Count("InstanceNorm") == 1);
}

TEST_CASE("a norm over groups of the last channels is a group norm between transposes") {
  const bool spread = GENERATE(false, true);
  const bool inside = GENERATE(false, true);  // scale and shift before the groups are joined
  AttentionFixture f;
  const ValueId x = f.Reshape(f.Input({2, 3, 5, 6}), {2, 3, 5, 2, 3});
  const ValueId scale = inside ? f.Weights({1, 1, 1, 2, 3}, 3) : kNoId, shift = inside ? f.Weights({2, 3}, 4) : kNoId;
  ValueId y = f.Reshape(Norm(f, x, {1, 2, 4}, scale, shift, spread), {2, 3, 5, 6});
  if (!inside) y = f.Op("Add", "", {f.Op("Mul", "", {y, f.Weights({6}, 3)}), f.Weights({6}, 4)});
  f.Output({y});
  f.KeepsResults([&] { CHECK(ChannelsLastNormFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.CountTasks() == 3);
  CHECK(f.Count("GroupNormV2") == 1);
}

TEST_CASE("a norm over other axes, or scaled by place, is none of channels") {
  const bool by_place = GENERATE(false, true);
  AttentionFixture f;
  const ValueId x = f.Input({2, 3, 5, 4});
  f.Output({Norm(f, x, by_place ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{2, 3}, by_place ? f.Weights({5, 1}, 3) : kNoId, kNoId, false)});
  const bool changed = ChannelsLastNormFusionPass(f.graph, f.context);
  CHECK(changed == by_place);  // the factor stays outside
  CHECK(f.Count("Mul") == 1);
}

TEST_CASE("a layer norm of groups is a group norm, one with a factor by channel an instance norm") {
  const int way = GENERATE(0, 1, 2);
  AttentionFixture f;
  const ValueId x = f.Input({2, 6, 5, 4});
  const ValueId scale = f.Weights({1, 6, 1, 1}, 3), shift = f.Weights({6, 1, 1}, 4);
  ValueId y = kNoId;
  if (way == 0) y = f.Reshape(Norm(f, f.Reshape(x, {2, 2, -1}), {2}, kNoId, kNoId, false), {2, 6, 5, 4});
  if (way == 1) y = f.Reshape(Norm(f, f.Reshape(x, {2, 2, 3, 5, 4}), {2, 3, 4}, kNoId, kNoId, false), {2, 6, 5, 4});
  if (way == 2) y = Norm(f, x, {2, 3}, kNoId, kNoId, false);
  f.Output({f.Op("Add", "", {f.Op("Mul", "", {y, scale}), shift})});
  f.KeepsResults(
      [&] {
        LayerNormFusionPass(f.graph, f.context);
        InstanceNormFusionPass(f.graph, f.context);
        GroupNormFusionPass(f.graph, f.context);
      },
      1e-5);
  CHECK(f.CountTasks() == 1);
  CHECK(f.Count(way == 2 ? "InstanceNorm" : "GroupNormV2") == 1);
}

TEST_CASE("x times the inverse and the negative mean times it is a layer norm") {
  AttentionFixture f;
  f.Output({Norm(f, f.Input({2, 3, 8}), {-1}, kNoId, kNoId, true)});
  f.KeepsResults([&] { CHECK(LayerNormFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.CountTasks() == 1);
}
