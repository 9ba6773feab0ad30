// Which key of the checkpoint each variable of a SavedModel is restored from.
#pragma once

#include <map>
#include <string>

#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {

// Where a variable's value is: the key, and the part of that value ("10 4 0,5:-", as RestoreV2 has it) for a variable that
// was split into several; empty: all of it.
struct RestoredFrom {
  std::string key, part;
};

// As the graph's own restoring nodes have it, in the graph and in the functions that it calls, by name of the variable.
std::map<std::string, RestoredFrom> RestoredVariables(const ModelState& model, const SourceGraph& graph);

}  // namespace atc::tf_parser
