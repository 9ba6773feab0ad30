#include "compiler/passes/masked_softmax_fusion.h"
#include "test/compiler/passes/attention_fixture.h"

using namespace atc;
using test::AttentionFixture;

TEST_CASE("a softmax takes in the factor and the mask before it") {
  const int mask = GENERATE(0, 1, 2, 3);
  AttentionFixture f;
  ValueId x = f.Op("Mul", "", {f.Scalar(0.125f), f.Input({2, 3, 5, 7})});
  if (mask == 1) x = f.Op("Add", "", {x, f.Mask({2, 1, 1, 7}, -1e9f)});
  if (mask == 2) x = f.Select(f.Flags({5, 1}), x, -10000);
  if (mask == 3) x = f.Op("SelectV2", "", {f.Flags({2, 1, 5, 7}), f.Scalar(-std::numeric_limits<float>::infinity()), x});
  f.Output({f.Softmax(x)});
  f.KeepsResults([&] { CHECK(MaskedSoftmaxFusionPass(f.graph, f.context)); }, 1e-6);
  CHECK(f.CountTasks() == 1);
  CHECK(f.graph.Find("softmax")->type() == "FusedSoftmax");
  CHECK_FALSE(MaskedSoftmaxFusionPass(f.graph, f.context));
}

TEST_CASE("a softmax alone, over another axis or of scores that others read stays") {
  const int fault = GENERATE(0, 1, 2);
  AttentionFixture f;
  const ValueId x = f.Input({5, 7});
  const ValueId masked = fault == 0 ? x : f.Op("Add", "", {x, f.Mask({7}, -1e9f)});
  const ValueId y = f.Softmax(masked);
  if (fault == 1) f.graph.producer(y).attrs.Set("axes", std::vector<int64_t>{0});
  std::vector<ValueId> outputs = {y};
  if (fault == 2) outputs.push_back(masked);
  f.Output(outputs);
  CHECK_FALSE(MaskedSoftmaxFusionPass(f.graph, f.context));
}
