#include "compiler/passes/prelu_fusion.h"

#include "compiler/passes/elementwise_fusion.h"
#include "test/compiler/passes/heavy_fixture.h"

using namespace atc;
using test::HeavyFixture;

TEST_CASE("a PRelu behind a convolution or product shares its task") {
  const int64_t slopes = GENERATE(4, 1);
  const bool convolution = GENERATE(true, false);
  HeavyFixture f;
  const ValueId x = convolution ? f.Convolution("Conv2D", f.Input({2, 3, 5, 5}), {4, 3, 3, 3}, 4, true, "NCHW")
                                : f.Product("MatMulV2", f.Input({3, 5}), {5, 4}, true, nullptr, 4);
  f.Output({f.Op("PRelu", "prelu", {x, f.Weights({slopes}, 8)})});
  f.KeepsResults([&] { CHECK(PReluFusionPass(f.graph, f.context)); }, 0);
  CHECK(f.graph.Find("prelu")->type() == "onnx::PRelu");
  f.KeepsResults([&] { CHECK(HeavyElementwiseFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("onnx::PRelu") == 0);
}

TEST_CASE("a PRelu that would stand alone, or whose weight is computed, stays") {
  const bool alone = GENERATE(true, false);
  HeavyFixture f;
  const ValueId x = f.Input({2, 4, 3});
  f.Output({f.Op("PRelu", "prelu", alone ? std::vector<ValueId>{x, f.Weights({4}, 8)} : std::vector<ValueId>{f.Op("Relu", "", {x}), f.Input({4})})});
  CHECK_FALSE(PReluFusionPass(f.graph, f.context));
}
