// Casts where the tensor is smaller, and none that another one undoes.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// For a graph whose Casts are inserted; results stay what they are, bit by bit:
//   - A Cast of a Cast that only widened (half to float) takes what that one took; it goes where both undo each other.
//   - Casts between floats in front of operators that pick elements (Gather, Slice) go behind them where fewer elements are
//     picked, by all who read the Cast together, than it has.
//   - Those behind operators that repeat elements (Tile, Expand) go in front of them.
// What the user gave a type, and what has an order of its own (control edges), stays as it is.
void PlaceCasts(Graph& graph, Journal& journal);

}  // namespace atc
