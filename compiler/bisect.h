// Which optional rewrite first spoils a model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/journal.h"
#include "compiler/ir/options.h"
#include "compiler/ir/tensor.h"

namespace atc {

class Graph;

// How far an output is from the reference: the largest of |value - reference| / (1e-4 + 1e-3 |reference|), infinite where
// the numbers of elements differ, NaN stands on one side alone, or the model could not be compiled or evaluated.
struct OutputError {
  double largest = 0;
  int output = -1;    // the worst one, by its place in NetOutput
  std::string fault;  // why there is no number
};

struct BisectResult {
  OutputError without;  // without any optional rewrite: what precision alone takes
  OutputError with;     // with all
  double limit = 0;     // from where on an output counts as off: 4 times `without`, at least 1
  int64_t rewrites = 0;
  int runs = 0;  // compilations
  // The first rewrite after which an output is off; empty: none is.
  std::optional<Journal::Entry> culprit;
  OutputError before, after;  // of the rewrites without and with it

  // Off before any optional rewrite is made: the fault is elsewhere.
  bool off_without() const;
  std::string Text() const;
  std::string Json() const;
};

// Compiles clones of `source`, a parsed graph, with the first N optional rewrites (those of user passes among them), and
// compares the reference evaluation of what comes out with that of the source model, for about log2 of their number
// values of N. `inputs` are in the order of Graph::Inputs(). A rewrite that mends what an earlier one spoils may hide it.
// Throws Error: as Compile does where no rewrite is to blame; E19999 where the source model cannot be evaluated.
BisectResult Bisect(const Graph& source, const CompileOptions& options, const std::vector<Tensor>& inputs,
                    const std::string& opp_root = {});

}  // namespace atc
