#include "compiler/passes/pad_fusion.h"

#include "test/compiler/passes/pad_fixture.h"

using namespace atc;
using test::PadFixture;

TEST_CASE("two paddings by one value are one") {
  PadFixture f;
  const float second = GENERATE(2.0f, 3.0f);
  const ValueId y = f.Pad("second", f.Pad("first", f.Input({3, 4}), {1, 0, 0, 2}, 2), {0, 3, 1, 1}, second);
  f.Output({y});
  f.KeepsResults([&] { CHECK(PadFusionPass(f.graph, f.context) == (second == 2)); }, 0);
  CHECK(f.Count("PadV3") == (second == 2 ? 1 : 2));
}

TEST_CASE("a padding that others read stays") {
  PadFixture f;
  const ValueId first = f.Pad("first", f.Input({3, 4}), {1, 0, 0, 2});
  f.Output({f.Pad("second", first, {1, 1, 1, 1}), f.Op("Exp", "exp", {first})});
  CHECK_FALSE(PadFusionPass(f.graph, f.context));
}
