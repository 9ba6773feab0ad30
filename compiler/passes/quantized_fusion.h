#pragma once

#include <cstdint>

#include "compiler/passes/pass.h"

namespace atc {

// The sum of this many products of two 8-bit differences is sure to fit in 32 bits.
inline constexpr int64_t kMaxByteTerms = INT32_MAX / (255 * 255);

// A convolution or matrix product of two dequantised 8-bit tensors becomes one operator on 8-bit tensors: it takes in
// the DequantizeLinear of its operands and bias, the float elementwise operators that follow, and the QuantizeLinear at
// their end if there is one. What is quantised, by that or by onnx::QLinearConv and onnx::QLinearMatMul themselves, may
// go through a table as well: a DequantizeLinear, elementwise operators with constant numbers (none: a change of scale,
// as concatenations want it) and a QuantizeLinear. It keeps its type and owns the graph it stands for
// (quantized_product.h says what it computes).
bool QuantizedProductFusionPass(Graph& graph, PassContext& context);

// An average pooling between DequantizeLinear and QuantizeLinear becomes a pooling of 8-bit tensors.
bool QuantizedPoolingFusionPass(Graph& graph, PassContext& context);

// A softmax between DequantizeLinear and QuantizeLinear becomes one of 8-bit tensors.
bool QuantizedSoftmaxFusionPass(Graph& graph, PassContext& context);

// QuantizeLinear takes in the float elementwise operators before it, and the DequantizeLinear before those, as one
// FusedElementwise.
bool QuantizedElementwiseFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
