#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// For a graph whose formats are chosen. Of a Cast and the TransData that alone reads it, the order is taken in which the
// tensor between them is smaller: behind blocks of channels a float is made of a half once they are unblocked, in front of
// them a half of a float before they are blocked. Elements of open shapes count as many on either side.
bool SwitchTransDataAndCastPass(Graph& graph, PassContext& context);

}  // namespace atc
