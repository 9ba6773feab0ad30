#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Remove nodes that give their first input back unchanged. What goes from an input of the model straight to an output
// keeps its node. Identity:
bool IdentityPass(Graph& graph, PassContext& context);
// Cast to the same type.
bool CastRemovePass(Graph& graph, PassContext& context);
// Reshape, Squeeze and the like to the same shape.
bool NoUseReshapeRemovePass(Graph& graph, PassContext& context);
// Transpose in order.
bool UnchangedTransposeRemovePass(Graph& graph, PassContext& context);
// Slices of all, paddings by and repetitions of nothing, joins of one.
bool RemoveNoEffectPass(Graph& graph, PassContext& context);

// Joins neighbours: a Transpose of a Transpose into one, a Reshape (or Squeeze, ...) of a Reshape into the last one,
// a Reshape that restores the dims of a reduction into the reduction.
bool MergeMovementPass(Graph& graph, PassContext& context);

}  // namespace atc
