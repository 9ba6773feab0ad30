// Channels that are permuted between convolutions stay where the convolutions have them.
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

TEST_CASE("a channel shuffle between convolutions keeps channels last and computes what the reference evaluator does") {
  const int64_t groups = GENERATE(2, 3, 4, 6);
  PassFixture f;
  const auto reshaped = [&](ValueId x, const std::vector<int64_t>& dims) {
    return f.Op("Reshape", "reshape" + std::to_string(f.graph.node_capacity()), {x, f.graph.AddConst("shape", Tensor::Ints(dims))});
  };
  const ValueId x = f.Conv("first", f.Input({2, 5, 7, 9}), f.Weights({24, 5, 3, 3}, 1, -0.3f, 0.3f));
  const ValueId cut = reshaped(x, {2, groups, 24 / groups, 7, 9});
  const ValueId turned = f.Op("Transpose", "turn", {cut, f.graph.AddConst("perm", Tensor::Ints({0, 2, 1, 3, 4}))});
  f.Output({f.Conv("second", reshaped(turned, {2, 24, 7, 9}), f.Weights({8, 24, 3, 3}, 2, -0.3f, 0.3f))});
  const std::vector<double> expected = ToDoubles(Evaluate(f.graph, f.inputs)[0]);
  StaticRunner runner(f.graph.Clone());
  CHECK(runner.Count("TransData") == 2);  // of the model's input and output
  const std::vector<double> found = ToDoubles(runner.Run(f.inputs)[0]);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == Approx(expected[i]).margin(2e-5).epsilon(2e-5));
}
