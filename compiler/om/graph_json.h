// A graph as JSON, in the form of the om's messages.
#pragma once

#include "compiler/io/byte_sink.h"
#include "compiler/ir/graph.h"

namespace atc {

// The graph and those nested in it as a ModelDef, with values of constants and numbers of enumerations.
void WriteGraphJson(const Graph& graph, ByteSink& out);

}  // namespace atc
