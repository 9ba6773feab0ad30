#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// DequantizeLinear of constants becomes a float constant, whose bytes are made when they are asked for. Runs after the
// 8-bit operators have taken theirs: what is left feeds float operators.
bool FoldDequantizePass(Graph& graph, PassContext& context);

}  // namespace atc
