#include "compiler/passes/rms_norm_fusion.h"
#include "test/compiler/passes/norm_fixture.h"

using namespace atc;
using test::NormFixture;

TEST_CASE("an RMS norm that is spelled out becomes one operator, however it is written") {
  const int square = GENERATE(0, 1, 2), over = GENERATE(0, 1, 2, 3, 4);
  const bool scaled = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 8});
  ValueId y = f.Over(x, f.Mean(f.Squared(x, square), {-1}), over);
  if (scaled) y = f.Op("Mul", "", {f.Weights({8}, 1), y});
  const ValueId more = f.Op("Add", "", {y, f.Weights({8}, 2)});  // is no part of it
  f.Output({more});
  f.KeepsResults([&] { CHECK(RmsNormFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("RmsNorm") == 1);
  CHECK(f.CountTasks() == 2);
  CHECK_FALSE(RmsNormFusionPass(f.graph, f.context));
}

TEST_CASE("an RMS norm in float between Casts of a half model takes the half tensor, with the scale outside") {
  NormFixture f;
  const ValueId x = f.Cast(f.Input({3, 16}), DT_FLOAT16);
  const ValueId wide = f.Cast(x, DT_FLOAT);
  const ValueId normal = f.Cast(f.Over(wide, f.Mean(f.Squared(wide, 0), {1}), 1), DT_FLOAT16);
  f.Output({f.Cast(f.Op("Mul", "", {f.Cast(f.Weights({16}, 1), DT_FLOAT16), normal}), DT_FLOAT)});
  f.KeepsResults([&] { CHECK(RmsNormFusionPass(f.graph, f.context)); }, 4e-3);
  CHECK(f.Count("RmsNorm") == 1);
  CHECK(f.Count("Mul") == 0);
}

TEST_CASE("another tensor than the one that is squared is not normalised") {
  NormFixture f;
  const ValueId x = f.Input({3, 8});
  f.Output({f.Over(f.Input({3, 8}), f.Mean(f.Squared(x, 0), {1}), 0)});
  CHECK_FALSE(RmsNormFusionPass(f.graph, f.context));
}

TEST_CASE("an RMS norm whose scale comes first is one operator, too") {
  const int over = GENERATE(0, 1, 2);
  const bool left = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 3, 8}), scale = f.Weights({8}, 1);
  const ValueId scaled = left ? f.Op("Mul", "", {scale, x}) : f.Op("Mul", "", {x, scale});
  f.Output({f.Over(scaled, f.Mean(f.Squared(x, 0), {-1}), over)});
  f.KeepsResults([&] { CHECK(RmsNormFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
}

TEST_CASE("a product with the scale that others read, or one with a scale of other dims, is no RMS norm") {
  const bool read = GENERATE(false, true);
  NormFixture f;
  const ValueId x = f.Input({2, 8, 8});
  const ValueId scaled = f.Op("Mul", "", {read ? f.Weights({8}, 1) : f.Weights({8, 1}, 1), x});
  const ValueId y = f.Over(scaled, f.Mean(f.Squared(x, 0), {-1}), 0);
  f.Output(read ? std::vector<ValueId>{y, scaled} : std::vector<ValueId>{y});
  CHECK_FALSE(RmsNormFusionPass(f.graph, f.context));
}
