// What may write its output over one of its inputs.
#pragma once

#include <cstddef>

#include "compiler/ir/graph.h"

namespace atc {

// Whether the node, an elementwise task of one output, writes each element where it has read the input's element of the
// same place: type, shape and format of both are equal. The kernels keep to it: a tile is read before it is written, and
// what a reference kernel gives is written when all is computed.
bool MayOverwrite(const Graph& graph, const Node& node, size_t input);

// Whether offsets say that the output lies exactly on inputs that it may overwrite, and on parts of no others.
bool LiesInPlace(const Graph& graph, const Node& node);

}  // namespace atc
