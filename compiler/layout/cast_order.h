// Which comes first, a Cast or the TransData beside it.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// For a graph whose formats are chosen. Of a Cast and a TransData in a row the order is taken in which the tensor between
// them is smaller (GE: SwitchTransDataAndCast): behind blocks of channels a float is made of a half once they are
// unblocked, in front of them a half of a float before they are blocked. A TransData that the Cast's operand has already
// is shared. Elements of open shapes count as many on either side. What has control edges stays where it is.
void OrderCasts(Graph& graph, Journal& journal);

}  // namespace atc
