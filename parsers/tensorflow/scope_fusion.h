// Scope fusion: small operators of one scope that together are one operator of AscendIR become it, before anything is
// converted. General passes always run; others run where --enable_scope_fusion_passes names them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "parsers/tensorflow/graph_builder.h"
#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {

struct ScopePass {
  const char* name;  // as the vendor's documents have it where they have one
  bool general;
  // Rewrites the graph; null: a pass of other software that has nothing to do here.
  void (*run)(SourceGraph& graph, const ModelState& model);
};

// Sorted by name.
std::span<const ScopePass> ScopePasses();

// The names in "A,B". Errors: E10001 for a name that no pass has, with what was meant; W10001 for passes that have
// nothing to do here.
std::vector<std::string> EnabledScopePasses(const std::string& names, Diagnostics* diagnostics);

// Runs the general passes and those that `model.scope_passes` names.
void FuseScopes(SourceGraph& graph, const ModelState& model);

// The passes; each is in a file of its own.
void FuseBatchNorm(SourceGraph& graph, const ModelState& model);
void FuseDecodedBoxes(SourceGraph& graph, const ModelState& model);
void FuseDynamicRnn(SourceGraph& graph, const ModelState& model);
void FuseGelu(SourceGraph& graph, const ModelState& model);
void FuseLayerNorm(SourceGraph& graph, const ModelState& model);

}  // namespace atc::tf_parser
