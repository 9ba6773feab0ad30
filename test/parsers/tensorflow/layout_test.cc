// What the compiler leaves of layouts in exported models: data come and go with channels last, and nothing in between is
// transposed.
#include <catch2/catch.hpp>

#include "compiler/pipeline.h"
#include "test/parsers/tensorflow/cases.h"

namespace atc {
namespace {

using namespace tf_cases;

// Convolutional models, and how many TransData they need: one for each end of the chains of convolutions, and around what
// mixes channels.
struct Row {
  const char* model;
  int trans_data;
};

constexpr Row kRows[] = {{"separable", 2}, {"squeeze_excite", 3}, {"unet", 8}};

int Count(const Graph& graph, const char* type) {
  int count = 0;
  for (const NodeId id : graph.TopologicalOrder()) count += graph.node(id).type() == type;
  return count;
}

}  // namespace

TEST_CASE("No Transpose remains between the convolutions of exported models") {
  const auto cases = ReadCases("test/parsers/tensorflow/models.npz");
  for (const Row& row : kRows) {
    for (const char* form : {"frozen", "grappler"}) {
      for (const PrecisionMode mode : {PrecisionMode::kKeepOrigin, PrecisionMode::kForceFp16}) {
        const std::string name = std::string(row.model) + "/" + form;
        std::unique_ptr<Graph> graph = Parse(name, cases.at(name), true);
        CompileOptions options;
        options.output_path = "m";
        options.soc_version = "Ascend910B3";
        options.precision_mode = mode;
        Diagnostics diagnostics;
        const CompileResult result = Compile(std::move(graph), options, &diagnostics, {});
        INFO(name);
        CHECK(Count(*result.model.graph, "Transpose") == 0);
        CHECK(Count(*result.model.graph, "TransData") <= row.trans_data);
      }
    }
  }
}

}  // namespace atc
