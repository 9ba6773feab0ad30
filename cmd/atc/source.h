// The model that a conversion starts from.
#pragma once

#include <memory>

#include "cmd/atc/run.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {

// Loads the operators that plugins bring, and parses the file that the options name. Throws Error: as the parsers do,
// as CheckModel and RefuseUnavailable do. `report` may be null.
std::unique_ptr<Graph> ReadSource(Run& run, const CompileOptions& options, CustomOperatorReport* report = nullptr);

}  // namespace atc::cli
