#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Of a value that several TransData bring into one form, some of them behind a Cast, one TransData is left: the Casts read
// what it gives. For a graph whose formats are chosen; the types must fill blocks of the same size.
bool SameTransdataBreadthFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
