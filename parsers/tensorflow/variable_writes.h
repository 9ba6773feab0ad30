// Operators that write into variables, as functions of the variable's value.
#pragma once

#include "parsers/tensorflow/source_graph.h"

namespace atc::tf_parser {

// A read that control edges place behind writes takes what the last of them leaves, and a write what the one before it
// leaves: output 0 of a write is the variable's new value.
void OrderVariableWrites(SourceGraph& graph);

}  // namespace atc::tf_parser
