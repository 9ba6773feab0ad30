#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Removes nodes that give their first input back unchanged: Identity, Cast to the same type, Reshape to the same shape,
// Transpose in order, a concatenation of one.
bool RemoveNoEffectPass(Graph& graph, PassContext& context);

// Joins neighbours: a Transpose of a Transpose into one, a Reshape (or Squeeze, ...) of a Reshape into the last one,
// a Reshape that restores the dims of a reduction into the reduction.
bool MergeMovementPass(Graph& graph, PassContext& context);

}  // namespace atc
