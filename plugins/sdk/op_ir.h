// What operator types look like to the SDK: those that the compiler runs, and those that a library only declares.
#pragma once

#include <string>

#include "compiler/ir/op_def.h"
#include "graph/operator.h"

namespace ge {

// The compiler's definition of the type, else one made of what the operator's class, or another library, declares of it:
// good for patterns and for nodes that a later pass replaces. Null for a type of which nothing is known. Definitions live
// as long as the process.
const atc::OpDef* DefinitionOf(const OperatorDescription& op);

// Names of the ports that the operator has, dynamic ones as often as it was given them. Optional inputs are there
// throughout, optional outputs up to the last that is described.
std::vector<AscendString> InputPortsOf(const OperatorDescription& op, const atc::OpDef& def);
std::vector<AscendString> OutputPortsOf(const OperatorDescription& op, const atc::OpDef& def);

}  // namespace ge
