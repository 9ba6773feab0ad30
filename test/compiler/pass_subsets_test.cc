// Random models compute the same whatever passes run. OPENATC_RANDOM_MODELS=N takes N models and 200 subsets in place of
// the few of a quick run.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "compiler/pipeline.h"
#include "test/compiler/pass_subsets.h"
#include "test/compiler/random_model.h"

using namespace atc;
using test::RandomModel;

namespace {

struct Scale {
  uint32_t models = 8;
  int subsets = 8;
};

Scale Wanted() {
  const char* models = std::getenv("OPENATC_RANDOM_MODELS");
  return models == nullptr ? Scale{} : Scale{static_cast<uint32_t>(std::strtoul(models, nullptr, 10)), 200};
}

// The largest error in units of 1e-4 + 1e-4 |reference|.
double LargestError(const std::vector<Tensor>& reference, const std::vector<Tensor>& found) {
  if (reference.size() != found.size()) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    if (!(reference[i].shape() == found[i].shape())) return INFINITY;
    const std::vector<double> wanted = ToDoubles(reference[i]);
    const std::vector<double> values = ToDoubles(found[i]);
    for (size_t e = 0; e < wanted.size(); ++e) {
      const double error = std::abs(values[e] - wanted[e]) / (1e-4 + 1e-4 * std::abs(wanted[e]));
      if (!(error <= largest)) largest = std::isnan(error) ? INFINITY : error;
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("random models compute the same under any subset of the passes") {
  const Scale scale = Wanted();
  std::set<std::string> made;  // passes that rewrote something
  for (uint32_t seed = 1; seed <= scale.models; ++seed) {
    const RandomModel model(seed, 30);
    const std::unique_ptr<Graph> source = model.graph().Clone();
    InferShapes(*source);
    const std::vector<Tensor> reference = Evaluate(*source, model.inputs());
    for (const auto& [name, on] : test::PassSubsets(seed, scale.subsets)) {
      INFO("seed " << seed << ", passes: " << name);
      CompileOptions options;
      options.soc_version = "Ascend910B3";
      options.precision_mode = PrecisionMode::kKeepOrigin;
      options.passes = test::SwitchesOf(on);
      CompileHooks hooks;
      hooks.verify = true;
      hooks.opp_root = "/nonexistent";
      Diagnostics diagnostics;
      const CompileResult result = Compile(model.graph().Clone(), options, &diagnostics, hooks);
      REQUIRE(LargestError(reference, Evaluate(*result.model.graph, model.inputs())) < 1);
      for (const auto& [pass, counts] : result.journal.counts()) {
        CHECK(on.contains(pass));
        if (counts.effects > 0) made.insert(pass);
      }
    }
  }
  for (const char* pass : {"BiasaddFusionPass", "CommonSubexpressionEliminationPass", "ConstantFoldingPass",
                           "ConvBatchnormFusionPass", "ElementwiseChainFusionPass", "HeavyElementwiseFusionPass",
                           "MergeMovementPass"}) {
    INFO(pass);
    CHECK(made.contains(pass));
  }
}
