// A pass rewrites one graph. Passes know nothing of source formats; what they may do to an operator they ask its traits.
#pragma once

#include <initializer_list>
#include <span>

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"
#include "compiler/ir/pass_switches.h"
#include "compiler/ops/growth.h"

namespace atc {

struct PassContext {
  Journal& journal;
  Diagnostics& diagnostics;
  const PassSwitches* switches = nullptr;  // null: all passes run
  FoldLedger* folding = nullptr;           // null: constants may grow without limit
};

// Returns whether the graph changed.
using PassFn = bool (*)(Graph& graph, PassContext& context);

struct Pass {
  const char* name;  // GE's name where GE has the pass
  PassFn run;
  FusionKind kind = FusionKind::kNone;  // how a switch file groups it
  OoLevel level = OoLevel::kO3;         // GE's, where GE has the pass
};

// Runs `passes` in order, again from the first while one of them changes something, at most `rounds` times; nested
// graphs (control flow) first. A pass that is switched off is left out.
bool RunPasses(Graph& graph, PassContext& context, std::span<const Pass> passes, int rounds);
inline bool RunPasses(Graph& graph, PassContext& context, std::initializer_list<Pass> passes, int rounds) {
  return RunPasses(graph, context, std::span(passes.begin(), passes.size()), rounds);
}

}  // namespace atc
