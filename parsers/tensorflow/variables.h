// Which key of the checkpoint each variable of a SavedModel is restored from.
#pragma once

#include <map>
#include <string>

#include "parsers/tensorflow/graph_builder.h"

namespace atc::tf_parser {

// As the graph's own restoring nodes have it, in the graph and in the functions that it calls: name of the variable ->
// key.
std::map<std::string, std::string> RestoredVariables(const ModelState& model, const SourceGraph& graph);

// The name of the variable that a VarHandleOp or VariableV2 stands for.
std::string VariableName(const SourceNode& node);

}  // namespace atc::tf_parser
