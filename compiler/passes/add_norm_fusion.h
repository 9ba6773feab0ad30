#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// A layer norm of a sum of two tensors of one shape becomes an AddLayerNorm; a third addend, of that shape or of gamma's,
// is its bias. The sum stays a result where others read it. It is left alone where one of the addends comes from an
// elementwise chain that ends here: the chain takes in the addition at no cost.
bool AddLayerNormFusionPass(Graph& graph, PassContext& context);

// The same for an RMS norm of two addends: AddRmsNorm.
bool AddRmsNormFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
