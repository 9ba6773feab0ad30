#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Activations that exporters spell out become one operator: x * clip(x + 3, 0, 6) / 6 a HardSwish, x * sigmoid(x) a
// Swish, x * (1 + erf(x / sqrt(2))) / 2 a GeluV2, in whatever order their factors are multiplied. A constant factor that
// is left over stays a Mul.
bool ActivationFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
