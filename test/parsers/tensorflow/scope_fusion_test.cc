// Scope fusion: which operators become one, when, and that numbers stay.
#include <catch2/catch.hpp>

#include "compiler/ir/error_block.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "test/parsers/tensorflow/cases.h"

namespace atc {
namespace {

using namespace tf_cases;

struct Fused {
  std::unique_ptr<Graph> graph;
  std::string difference;
  Diagnostics diagnostics;

  int Count(const char* type) const {
    int count = 0;
    for (NodeId id = 0; id < graph->node_capacity(); ++id) {
      count += graph->node(id).alive && graph->node(id).type() == type;
    }
    return count;
  }
};

// A case converted with these passes asked for, and what its values differ in from TensorFlow's.
Fused Convert(const std::string& name, const std::string& passes) {
  static const auto cases = ReadCases("test/parsers/tensorflow/operators.npz");
  const Members& members = cases.at(name);
  CompileOptions options;
  options.ge_options["enable_scope_fusion_passes"] = passes;
  Fused fused;
  fused.graph = Parse(name, members, false, options, &fused.diagnostics);
  fused.graph->Verify();
  InferShapes(*fused.graph);
  fused.difference = FirstDifference(Evaluate(*fused.graph, Inputs(*fused.graph, members)), members, {1e-4, 2e-5});
  return fused;
}

std::string Refusal(const std::string& passes) {
  try {
    Convert("Scope_gelu", passes);
    return "";
  } catch (const Error& error) {
    return error.diagnostic().code + " " + error.what();
  }
}

}  // namespace

TEST_CASE("General passes always run") {
  struct Row {
    const char* name;
    const char* made;
    const char* gone;
  };
  for (const Row& row : {Row{"Scope_layer_norm", "LayerNorm", "Rsqrt"}, Row{"Scope_layer_norm_keras", "LayerNorm", "Rsqrt"},
                         Row{"Scope_batch_norm", "BatchNorm", "Rsqrt"}, Row{"Scope_batch_norm_conv", "BatchNorm", "Rsqrt"},
                         Row{"Scope_gelu", "GeluV2", "Tanh"}}) {
    const Fused fused = Convert(row.name, "");
    INFO(row.name << ": " << fused.difference);
    CHECK(fused.difference.empty());
    CHECK(fused.Count(row.made) == 1);
    CHECK(fused.Count(row.gone) == 0);
  }
}

TEST_CASE("A normalisation over another axis stays what it is") {
  const Fused fused = Convert("Scope_layer_norm_middle", "");
  INFO(fused.difference);
  CHECK(fused.difference.empty());
  CHECK(fused.Count("LayerNorm") == 0);
  CHECK(fused.Count("Rsqrt") == 1);
}

TEST_CASE("Other passes run where they are named") {
  struct Row {
    const char* name;
    const char* passes;
    const char* made;
    const char* gone;
  };
  for (const Row& row : {Row{"V1_recurrent", "ScopeDynamicRNNPass", "DynamicRNN", "While"},
                         Row{"V1_recurrent_batch_first", "ScopeClipBoxesPass,ScopeDynamicLSTMPass", "DynamicRNN", "While"},
                         Row{"Scope_decode_boxes", "ScopeDecodeBboxV2Pass", "DecodeBboxV2", "Exp"},
                         Row{"Scope_decode_boxes", " DecodeBboxV2ScopeFusionPass ,", "DecodeBboxV2", "Exp"}}) {
    const Fused without = Convert(row.name, ""), with = Convert(row.name, row.passes);
    INFO(row.name << " with " << row.passes << ": " << without.difference << "; " << with.difference);
    CHECK(without.difference.empty());
    CHECK(with.difference.empty());
    CHECK(without.Count(row.made) == 0);
    CHECK(without.Count(row.gone) > 0);
    CHECK(with.Count(row.made) == 1);
    CHECK(with.Count(row.gone) == 0);
  }
}

TEST_CASE("Names that no pass has are refused, passes without effect are told") {
  const std::string near = Refusal("ScopeDynamicRNNPas");
  CHECK(near.starts_with("E10001"));
  CHECK(near.find("Did you mean 'ScopeDynamicRNNPass'") != std::string::npos);
  const std::string far = Refusal("ScopeLayerNormPass,Nothing");
  CHECK(far.find("Nothing") != std::string::npos);
  CHECK(far.find("ScopeDecodeBboxV2Pass") != std::string::npos);
  const Fused fused = Convert("Scope_gelu", "ScopeRpnProposalsPass,ScopeLayerNormPass");
  REQUIRE(fused.diagnostics.all().size() == 1);
  CHECK(fused.diagnostics.all()[0].code == "W10001");
}

}  // namespace atc
