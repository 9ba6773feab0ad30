// Names of a node's inputs, for people and for viewers.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// The definition's name of input `index`. A fused node's inputs are those of the graph it stands for: what goes to the
// operator whose type it keeps has that operator's name, the operands of what follows are "operand0", "operand1", ...
std::string InputPortName(const Node& node, size_t index);
// Of all inputs: a walk through the fused graph in place of one for each.
std::vector<std::string> InputPortNames(const Node& node);
// Where these names come from. `at`, by input of a fused node: the input of the operator whose type it keeps, -1 for other
// operands; empty where all names are the definition's. Returns that operator's definition; null where there is none.
const OpDef* InputsAtHeart(const Node& node, std::vector<int>* at);

}  // namespace atc
