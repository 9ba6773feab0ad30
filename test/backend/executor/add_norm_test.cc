// Residual sums and the norms behind them, compiled whole and run on the device: of the results of a fused norm some are
// read, some are not.
#include "test/backend/executor/static_runner.h"
#include "test/compiler/pass_fixture.h"

using namespace atc;        // NOLINT
using namespace atc::test;  // NOLINT

TEST_CASE("norms of sums that go on compute what the reference evaluator does") {
  const bool centered = GENERATE(true, false), half = GENERATE(false, true);
  const bool norm_read = GENERATE(true, false), root_read = GENERATE(false, true);
  if (!norm_read && !root_read) return;
  PassFixture f;
  const ValueId sum = f.Op("Add", "sum", {f.Input({4, 30, 200}), f.Input({4, 30, 200})});
  const ValueId gamma = f.Weights({200}, 1), beta = f.Weights({200}, 2);
  Node& norm = f.graph.Add(centered ? "LayerNormV3" : "RmsNorm", "norm",
                           centered ? std::vector<ValueId>{sum, gamma, beta} : std::vector<ValueId>{sum, gamma}, centered ? 3 : 2);
  if (centered) norm.attrs.Set("begin_norm_axis", -1);
  std::vector<ValueId> read = {f.Op("Relu", "positive", {sum})};
  if (norm_read) read.push_back(norm.outputs[0]);
  if (root_read) read.push_back(norm.outputs.back());
  f.Output(read);
  const std::vector<Tensor> expected = Evaluate(f.graph, f.inputs);
  StaticRunner device(f.graph.Clone(), half ? PrecisionMode::kForceFp16 : PrecisionMode::kKeepOrigin);
  CHECK(device.compiled->Find("norm")->type() == (centered ? "AddLayerNorm" : "AddRmsNorm"));
  std::vector<Tensor> inputs = f.inputs;
  const double tolerance = half ? 1e-2 : 1e-5;
  const std::vector<Tensor> found = device.Run(std::move(inputs));
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    const std::vector<double> x = ToDoubles(expected[i]), y = ToDoubles(found[i]);
    REQUIRE(x.size() == y.size());
    for (size_t e = 0; e < x.size(); ++e) REQUIRE(y[e] == Approx(x[e]).margin(tolerance).epsilon(tolerance));
  }
}
