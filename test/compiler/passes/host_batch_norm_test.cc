#include "compiler/passes/host_batch_norm.h"

#include "test/compiler/passes/heavy_fixture.h"

using namespace atc;
using test::HeavyFixture;

TEST_CASE("a batch norm beside elementwise operators is a product and a sum") {
  for (const char* format : {"NCHW", "NHWC"}) {
    for (const bool before : {false, true}) {
      HeavyFixture f;
      const bool first = std::string_view(format) == "NCHW";
      ValueId x = f.Input(first ? Shape{2, 4, 3, 5} : Shape{2, 3, 5, 4});
      if (before) x = f.Op("Relu", "relu", {x});
      x = f.Norm("norm", x, 4, format);
      f.Output({before ? x : f.Op("Relu", "relu", {x})});
      f.KeepsResults([&] { CHECK(HostBNFusionPass(f.graph, f.context)); }, 1e-6);
      CHECK(f.Count("BatchNorm") == 0);
      CHECK(f.graph.Find("norm")->type() == "Add");
    }
  }
}

TEST_CASE("a batch norm that would stand alone stays") {
  HeavyFixture f;
  const ValueId pooled = f.Op("GlobalAveragePool", "pool", {f.Input({2, 4, 3, 5})});
  f.Output({f.Norm("norm", pooled, 4, "NCHW")});
  CHECK_FALSE(HostBNFusionPass(f.graph, f.context));
}
