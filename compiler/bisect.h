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

// How far an output is from the reference.
struct OutputError {
  double largest = 0;  // as OutputDistance measures it; infinite where the model could not be compiled or evaluated
  int output = -1;     // the worst one, by its place in NetOutput
  std::string fault;   // why there is no number
};

struct BisectResult {
  OutputError without;  // without any optional rewrite: what precision alone takes
  OutputError with;     // with all
  // From where on an output counts as off: 4 times what it is without, twice what it takes to quantise what lies in the
  // middle between two values the other way, at least 1.
  double limit = 0;
  // In the types of the model, without any optional rewrite: only where `without` is above 1 in other types.
  std::optional<OutputError> own_types;
  bool in_own_types = false;  // the search was made there
  int64_t not_finite = 0;     // elements of the reference that are NaN or infinite
  int64_t rewrites = 0;
  int runs = 0;  // compilations
  // The first rewrite after which an output is off; empty: none is.
  std::optional<Journal::Entry> culprit;
  OutputError before, after;  // of the rewrites without and with it

  // Off before any optional rewrite is made: what is off may be no rewrite's fault.
  bool off_without() const;
  std::string Text() const;
  // "verdict" there: "rewrite", "none" (no output is off), "types" (those of --precision_mode take it), "elsewhere".
  std::string Json() const;

 private:
  std::string Acquittal() const;
};

// Compiles clones of `source`, a parsed graph, with the first N optional rewrites (those of user passes among them),
// and compares the reference evaluation of what comes out with that of the source model, for about log2 of their number
// values of N; in the types of the model where those of the options alone take more than the tolerance. `inputs` are in
// the order of Graph::Inputs(). Of several wrong rewrites the first is found. A rewrite that mends what an earlier one
// spoils may hide it. Throws Error: as Compile does where no rewrite is to blame; E19999 where the source model cannot
// be evaluated.
BisectResult Bisect(const Graph& source, const CompileOptions& options, const std::vector<Tensor>& inputs,
                    const std::string& opp_root = {});

}  // namespace atc
