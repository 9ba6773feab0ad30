#include "compiler/passes/batch_norm_fusion.h"

#include "compiler/ir/half.h"
#include "compiler/ops/growth.h"
#include "test/compiler/passes/heavy_fixture.h"

using namespace atc;
using test::HeavyFixture;

TEST_CASE("a batch norm goes into what multiplies by constants before it") {
  for (const test::Heavy& heavy : test::Heavies()) {
    for (const bool biased : {false, true}) {
      INFO(heavy.name << (biased ? " with a bias" : ""));
      HeavyFixture f;
      const ValueId y = heavy.build(f, biased);
      f.Output({f.Norm("norm", y, heavy)});
      f.KeepsResults([&] { CHECK(ConvBatchnormFusionPass(f.graph, f.context) == heavy.takes_norm); }, 1e-5);
      CHECK(f.Count("BatchNorm") == (heavy.takes_norm ? 0 : 1));
      if (!heavy.takes_norm) continue;
      CHECK(f.graph.origins().Flatten(f.graph.Find("heavy")->origin) == std::vector<std::string>{"heavy", "norm"});
    }
  }
}

TEST_CASE("a batch norm stays when the convolution has another user, and when it learns") {
  HeavyFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId n = f.Norm("norm", y, 4, "NCHW");
  SECTION("another user") { f.Output({n, y}); }
  SECTION("training") {
    f.graph.producer(n).attrs.Set("is_training", AttrValue(true));
    f.Output({n});
  }
  CHECK_FALSE(ConvBatchnormFusionPass(f.graph, f.context));
}

TEST_CASE("half filters are scaled in double and rounded once; one that would overflow stays") {
  HeavyFixture f;
  const float largest = GENERATE(1.0f, 60000.0f);
  const auto halves = [&](Shape shape, float value) {
    std::vector<uint16_t> bits(shape.NumElements(), FloatToHalf(value));
    return f.graph.AddConst("halves", Tensor::From<uint16_t>(DT_FLOAT16, shape, bits));
  };
  const ValueId x = f.graph.AddData("x", 0, TensorDesc(DT_FLOAT16, {1, 1, 4, 4}, FORMAT_NCHW));
  const ValueId y = f.Conv("conv", x, halves({2, 1, 3, 3}, largest));
  const ValueId n =
      f.Op("BatchNorm", "norm", {y, halves({2}, 3.0f), halves({2}, 0.5f), halves({2}, 0.25f), halves({2}, 1.0f)});
  f.graph.producer(n).attrs.Set("epsilon", 0.0f);
  f.graph.producer(n).attrs.Set("data_format", "NCHW");
  f.graph.producer(n).attrs.Set("is_training", AttrValue(false));
  f.Output({n});
  CHECK(ConvBatchnormFusionPass(f.graph, f.context) == (largest < 100));
  if (largest > 100) return;
  const Node& conv = *f.graph.Find("conv");
  CHECK(HalfToFloat(*f.graph.ConstantInput(conv, 1)->Materialized().Data<uint16_t>()) == 3.0f);
  CHECK(HalfToFloat(*f.graph.ConstantInput(conv, 2)->Data<uint16_t>()) == -0.25f);  // 0.5 - 0.25 * 3
}

TEST_CASE("a filter that others read is copied only where the model grows by no more than it may") {
  const int64_t channels = GENERATE(8, 80);  // 2,304 and 230,400 bytes of filter
  HeavyFixture f;
  FoldLedger ledger;
  f.context.folding = &ledger;
  const ValueId w = f.Weights({channels, channels, 3, 3}, 1);
  const ValueId x = f.Input({1, channels, 4, 4});
  const ValueId norm = f.Norm("norm", f.Conv("conv", x, w), channels, "NCHW");
  f.Output({norm, f.Conv("other", f.Op("Relu", "relu", {x}), w)});
  const bool small = channels == 8;
  f.KeepsResults([&] { CHECK(ConvBatchnormFusionPass(f.graph, f.context) == small); }, 1e-4);
  CHECK(f.Count("BatchNorm") == (small ? 0 : 1));
  CHECK(ledger.grown == (small ? 4 * 8 * 8 * 9 : 0));
  CHECK(f.journal.entries().size() == (small ? 1u : 0u));
  CHECK_FALSE(ConvBatchnormFusionPass(f.graph, f.context));
  REQUIRE(ledger.kept.size() == (small ? 0 : 1));
  if (!small) CHECK(ledger.kept[0].bytes == 4 * 80 * 80 * 9);
}

TEST_CASE("a copied filter whose elements repeat weighs what the om stores of it") {
  const bool repeats = GENERATE(true, false);  // of the factors: 80 different ones leave a number for each channel
  HeavyFixture f;
  FoldLedger ledger;
  f.context.folding = &ledger;
  const ValueId w =
      f.graph.AddConst("w", Tensor::From<float>(DT_FLOAT, {80, 80, 3, 3}, std::vector<float>(80 * 80 * 9, 0.25f)));
  const auto column = [&](const char* name, float first, float step) {
    std::vector<float> values;
    for (int c = 0; c < 80; ++c) values.push_back(first + step * static_cast<float>(c));
    return f.graph.AddConst(name, Tensor::From<float>(DT_FLOAT, {80}, values));
  };
  const ValueId x = f.Input({1, 80, 4, 4});
  const ValueId n = f.Op("BatchNorm", "norm",
                         {f.Conv("conv", x, w), column("scale", 3, repeats ? 0.0f : 0.5f), column("offset", 0, 0),
                          column("mean", 0, 0), column("variance", 1, 0)});
  f.graph.producer(n).attrs.Set("epsilon", 0.0f);
  f.graph.producer(n).attrs.Set("data_format", "NCHW");
  f.graph.producer(n).attrs.Set("is_training", AttrValue(false));
  f.Output({n, f.Conv("other", f.Op("Relu", "relu", {x}), w)});
  f.KeepsResults([&] { CHECK(ConvBatchnormFusionPass(f.graph, f.context)); }, 1e-4);
  CHECK(ledger.grown == (repeats ? 4 : 4 * 80));
  const ValueId filter = f.graph.Find("conv")->inputs[1];
  CHECK(StoredBytes(f.graph, filter) == ledger.grown);
}

TEST_CASE("a batch norm that waits for another node, or is waited for, stays") {
  const bool waits = GENERATE(false, true);
  HeavyFixture f;
  const ValueId x = f.Input({1, 3, 5, 5});
  const ValueId norm = f.Norm("norm", f.Conv("conv", x, f.Weights({4, 3, 3, 3}, 1)), 4, "NCHW");
  const ValueId other = f.Op("Relu", "other", {x});
  const NodeId first = f.graph.producer(waits ? other : norm).id, second = f.graph.producer(waits ? norm : other).id;
  f.graph.AddControl(first, second);
  f.Output({norm, other});
  CHECK_FALSE(ConvBatchnormFusionPass(f.graph, f.context));
  CHECK(f.journal.counts().empty());
}

TEST_CASE("a batch norm that divides by zero stays") {
  const float variance = GENERATE(0.0f, 1.0f);
  HeavyFixture f;
  const auto both = [&](float first, float second) {
    return f.graph.AddConst("both", Tensor::From<float>(DT_FLOAT, {2}, {first, second}));
  };
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({2, 3, 3, 3}, 1));
  const ValueId n = f.Op("BatchNorm", "norm", {y, both(1, 2), both(3, 4), both(5, 6), both(variance, 1)});
  f.graph.producer(n).attrs.Set("epsilon", 0.0f);
  f.graph.producer(n).attrs.Set("is_training", AttrValue(false));
  f.graph.producer(n).attrs.Set("data_format", "NCHW");
  f.Output({n});
  CHECK(ConvBatchnormFusionPass(f.graph, f.context) == (variance > 0));
}
