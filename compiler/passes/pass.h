// A pass rewrites one graph. Passes know nothing of source formats; what they may do to an operator they ask its traits.
#pragma once

#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

struct PassContext {
  Journal& journal;
  Diagnostics& diagnostics;
};

// Returns whether the graph changed.
using PassFn = bool (*)(Graph& graph, PassContext& context);

struct Pass {
  const char* name;  // GE's name where GE has the pass
  PassFn run;
};

// Runs `passes` in order, again from the first while one of them changes something, at most `rounds` times; nested
// graphs (control flow) first.
bool RunPasses(Graph& graph, PassContext& context, std::initializer_list<Pass> passes, int rounds);

}  // namespace atc
