#include "parsers/tensorflow/scope_fusion.h"

#include <algorithm>

#include "compiler/ir/nearest_names.h"

namespace atc::tf_parser {
namespace {

// Sorted. GELU and batch normalisation have names of this project.
constexpr ScopePass kPasses[] = {
    {"DecodeBboxV2ScopeFusionPass", false, FuseDecodedBoxes},
    {"ScopeBatchMultiClassNonMaxSuppressionPass", false, nullptr},
    {"ScopeBatchNormPass", true, FuseBatchNorm},
    {"ScopeClipBoxesPass", false, nullptr},
    {"ScopeDecodeBboxPass", false, nullptr},
    {"ScopeDecodeBboxV2Pass", false, FuseDecodedBoxes},
    {"ScopeDynamicGRUPass", false, nullptr},
    {"ScopeDynamicLSTMPass", false, FuseDynamicRnn},
    {"ScopeDynamicRNNPass", false, FuseDynamicRnn},
    {"ScopeFastrcnnPredictionsPass", false, nullptr},
    {"ScopeGeluPass", true, FuseGelu},
    {"ScopeKeepRatioResizeBilinearPass", false, nullptr},
    {"ScopeLayerNormGradPass", true, nullptr},
    {"ScopeLayerNormPass", true, FuseLayerNorm},
    {"ScopeNormalizeBBoxPass", false, nullptr},
    {"ScopeRpnProposalsPass", false, nullptr},
    {"ScopeToAbsoluteBBoxPass", false, nullptr},
};

}  // namespace

std::span<const ScopePass> ScopePasses() { return kPasses; }

std::vector<std::string> EnabledScopePasses(const std::string& names, Diagnostics* diagnostics) {
  std::vector<std::string_view> known;
  for (const ScopePass& pass : kPasses) known.emplace_back(pass.name);
  std::vector<std::string> enabled;
  std::string_view rest = names;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name.empty()) continue;
    const auto it = std::find(known.begin(), known.end(), name);
    if (it == known.end()) {
      const std::string hint = DidYouMean(name, known);
      std::string all;
      for (const std::string_view pass : known) all.append(all.empty() ? "" : ", ").append(pass);
      throw Error("E10001", {{"value", std::string(name)},
                             {"parameter", "--enable_scope_fusion_passes"},
                             {"reason", "No scope fusion pass has this name. " + (hint.empty() ? "There are " + all + "." : hint)}});
    }
    if (kPasses[it - known.begin()].run == nullptr && diagnostics != nullptr) {
      diagnostics->Warn("W10001", {{"parameter", "the scope fusion pass " + std::string(name)},
                                   {"reason", "The operators of its scopes are converted one by one."}});
    }
    enabled.emplace_back(name);
  }
  return enabled;
}

void FuseScopes(SourceGraph& graph, const ModelState& model) {
  for (const ScopePass& pass : kPasses) {
    if (pass.run == nullptr) continue;
    const auto& named = model.scope_passes;
    if (pass.general || std::find(named.begin(), named.end(), pass.name) != named.end()) pass.run(graph, model);
  }
}

}  // namespace atc::tf_parser
