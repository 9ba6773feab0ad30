// The checks of flags that need the model: what they say of its inputs.
#pragma once

#include "cmd/atc/command_line.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"

namespace atc::cli {

// For a model that has just been read with `options`, which the flags became. Throws E10001 where inputs keep open dims
// that no flag speaks of (--input_shape, or the gear's flag, of which every open input must be listed), E10052 and E10034
// for inputs of --insert_op_conf that are not there, are no images, or are fed as FP16.
void CheckModel(const Graph& graph, const FlagValues& flags, const CompileOptions& options);

}  // namespace atc::cli
