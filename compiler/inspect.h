// What programs may ask of models without compiling or running them.
#pragma once

#include "compiler/io/byte_sink.h"
#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/om/json.h"     // IWYU pragma: export
#include "compiler/om/summary.h"  // IWYU pragma: export

namespace atc {

// Infers the shapes of a parsed graph, folding what is constant, and writes it as a ModelDef in JSON. Stages are dumped
// as in a conversion, under GE's names for this mode.
void WriteInferredJson(Graph& graph, Diagnostics* diagnostics, ByteSink& out);

}  // namespace atc
