#include "compiler/passes/batch_norm_fusion.h"

#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("a batch norm goes into the convolution before it") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({2, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId n = f.Op("BatchNorm", "norm", {y, f.Weights({4}, 2), f.Weights({4}, 3), f.Weights({4}, 4),
                                               f.Weights({4}, 5, 0.5f, 2.0f)});
  Node& norm = f.graph.producer(n);
  norm.attrs.Set("epsilon", 1e-5f);
  norm.attrs.Set("data_format", "NCHW");
  norm.attrs.Set("is_training", AttrValue(false));
  f.Output({n});
  f.KeepsResults([&] { CHECK(ConvBatchnormFusionPass(f.graph, f.context)); }, 1e-5);
  CHECK(f.Count("BatchNorm") == 0);
  CHECK(f.graph.origins().Flatten(f.graph.Find("conv")->origin) == std::vector<std::string>{"conv", "norm"});
}

TEST_CASE("a batch norm stays when the convolution has another user") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId n = f.Op("BatchNorm", "norm", {y, f.Weights({4}, 2), f.Weights({4}, 3), f.Weights({4}, 4),
                                               f.Weights({4}, 5, 0.5f, 2.0f)});
  f.graph.producer(n).attrs.Set("is_training", AttrValue(false));
  f.graph.producer(n).attrs.Set("data_format", "NCHW");
  f.Output({n, y});
  CHECK_FALSE(ConvBatchnormFusionPass(f.graph, f.context));
}
