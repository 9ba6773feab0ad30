#include "compiler/passes/elementwise_fusion.h"

#include "compiler/ir/port_names.h"
#include "compiler/ir/stream_label.h"
#include "compiler/passes/batch_norm_fusion.h"
#include "compiler/passes/bias_fusion.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;
using test::PassFixture;

TEST_CASE("hard swish written out, with its branch, goes into the convolution") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId raised = f.Op("Add", "add", {y, f.Weights({1}, 2)});
  const ValueId relu = f.Op("Relu", "relu", {raised});
  const ValueId product = f.Op("Mul", "mul", {y, relu});
  f.Output({product});
  f.KeepsResults([&] { CHECK(HeavyElementwiseFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.graph.num_nodes() == 5);  // Data, two constants, the fused node, NetOutput
  const Node& fused = *f.graph.Find("conv");
  CHECK(fused.type() == "Conv2D");
  REQUIRE(fused.fused);
  CHECK(f.graph.origins().Flatten(fused.origin) == std::vector<std::string>{"conv", "add", "relu", "mul"});
}

TEST_CASE("a group never takes in a node whose other input depends on the group") {
  // conv -> softmax -> mul <- conv: the softmax is outside, so the mul may not join.
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  const ValueId relu = f.Op("Relu", "relu", {y});
  const ValueId soft = f.Op("SoftmaxV2", "softmax", {relu});
  f.graph.producer(soft).attrs.Set("axes", std::vector<int64_t>{1});
  const ValueId product = f.Op("Mul", "mul", {relu, soft});
  f.Output({product});
  f.KeepsResults([&] { HeavyElementwiseFusionPass(f.graph, f.context); }, 1e-6);
  CHECK(f.graph.Find("mul") != nullptr);
}

TEST_CASE("chains of elementwise operators become one node, also where a value is used twice") {
  PassFixture f;
  const ValueId x = f.Input({2, 7});
  const ValueId a = f.Op("Exp", "exp", {x});
  const ValueId b = f.Op("Add", "add", {a, f.Weights({7}, 3)});
  const ValueId c = f.Op("Mul", "mul", {a, b});
  f.Output({c});
  f.KeepsResults([&] { CHECK(ElementwiseChainFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.Count("FusedElementwise") == 1);
  CHECK(f.Count("Mul") == 0);
}

TEST_CASE("optional rewrites stop at the limit of the journal") {
  PassFixture f;
  const ValueId x = f.Input({2, 7});
  f.Output({f.Op("Relu", "b", {f.Op("Exp", "a", {x})})});
  f.journal.set_limit(0);
  CHECK_FALSE(ElementwiseChainFusionPass(f.graph, f.context));
  CHECK(f.journal.entries().empty());
}

TEST_CASE("inputs of a fused node are named after what they serve") {
  PassFixture f;
  const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
  f.Output({f.Op("Mul", "mul", {f.Op("Add", "add", {y, f.Weights({1}, 2)}), f.Input({1, 4, 5, 5})})});
  HeavyElementwiseFusionPass(f.graph, f.context);
  const Node& fused = *f.graph.Find("conv");
  REQUIRE(fused.fused);
  CHECK(InputPortName(fused, 0) == "x");
  CHECK(InputPortName(fused, 1) == "filter");
  CHECK(InputPortName(fused, 2) == "operand0");
  CHECK(InputPortName(fused, 3) == "operand1");
}

TEST_CASE("what runs on another labelled stream is not fused, and a fused node keeps its label") {
  const auto build = [](PassFixture& f, const char* first, const char* second) {
    const ValueId y = f.Conv("conv", f.Input({1, 3, 5, 5}), f.Weights({4, 3, 3, 3}, 1));
    const ValueId n = f.Op("BatchNorm", "norm", {y, f.Weights({4}, 2), f.Weights({4}, 3), f.Weights({4}, 4),
                                                 f.Weights({4}, 5, 0.5f, 2.0f)});
    f.graph.producer(n).attrs.Set("data_format", "NCHW");
    f.graph.producer(n).attrs.Set("is_training", AttrValue(false));
    const ValueId product = f.Op("MatMulV2", "matmul", {f.Input({2, 5}), f.Weights({5, 4}, 6)});
    const ValueId sum = f.Op("Add", "add", {product, f.Weights({4}, 7)});
    const ValueId relu = f.Op("Relu", "relu", {f.Op("Exp", "exp", {f.Input({2, 7})})});
    f.Output({n, sum, relu});
    for (const char* name : {"conv", "matmul", "exp"}) f.graph.Find(name)->attrs.Set(kUserStreamLabel, first);
    for (const char* name : {"norm", "add", "relu"}) f.graph.Find(name)->attrs.Set(kUserStreamLabel, second);
  };
  PassFixture apart;
  build(apart, "a", "b");
  CHECK_FALSE(ConvBatchnormFusionPass(apart.graph, apart.context));
  CHECK_FALSE(BiasaddFusionPass(apart.graph, apart.context));
  CHECK_FALSE(HeavyElementwiseFusionPass(apart.graph, apart.context));
  CHECK_FALSE(ElementwiseChainFusionPass(apart.graph, apart.context));

  PassFixture together;
  build(together, "a", "a");
  CHECK(ConvBatchnormFusionPass(together.graph, together.context));
  CHECK(BiasaddFusionPass(together.graph, together.context));
  CHECK(ElementwiseChainFusionPass(together.graph, together.context));
  CHECK(StreamLabelOf(*together.graph.Find("relu")) == "a");
}
