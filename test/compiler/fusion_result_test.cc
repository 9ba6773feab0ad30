#include "compiler/fusion_result.h"

#include <catch2/catch.hpp>

#include "compiler/ir/graph.h"

namespace atc {
namespace {

TEST_CASE("counts of passes are text, by group, without what belongs to no pass") {
  Graph graph;
  const Node& node = graph.Add("Relu", "a", {graph.AddData("x", 0, TensorDesc(DT_FLOAT, {1}))});
  Journal journal;
  journal.set_limit(2);
  journal.EnterStage("S");
  journal.EnterPass("HeavyElementwiseFusionPass");
  journal.Allow("p", {&node});
  journal.EnterPass("BiasaddFusionPass");
  journal.Allow("p", {&node});
  journal.Allow("p", {&node});  // beyond the limit: matched, and left alone
  journal.EnterStage("T");
  journal.Require("Cast", {&node});
  CHECK(FusionResultJson(journal) == R"({
    "session_and_graph_id_0_0": {
        "graph_fusion": {
            "BiasaddFusionPass": {
                "match_times": "2",
                "effect_times": "1"
            }
        },
        "ub_fusion": {
            "HeavyElementwiseFusionPass": {
                "match_times": "1",
                "repository_hit_times": "0",
                "effect_times": "1"
            }
        }
    }
}
)");
}

}  // namespace
}  // namespace atc
