#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// The integer sums of onnx::MatMulInteger or onnx::ConvInteger with constant weights, cast to float and multiplied by the
// scales of both operands, become the float product of the dequantised operands, which QuantizedProductFusionPass makes one
// 8-bit operator with what follows. That is how dynamically quantised models are written.
bool IntegerProductFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
