#pragma once

#include "compiler/passes/pass.h"

namespace atc {

// Quantising with one scale for the tensor and moving elements commute: QuantizeLinear after an operator that only moves
// or selects elements (Reshape, Transpose, Concat, Slice, maximum pooling, ...) goes before it, so that the operator
// works on 8-bit elements and the QuantizeLinear meets what it may be fused with or cancelled by.
bool RaiseQuantizePass(Graph& graph, PassContext& context);

// QuantizeLinear of DequantizeLinear with the same scale, zero point and type gives its input back.
bool CancelQuantizePass(Graph& graph, PassContext& context);

}  // namespace atc
