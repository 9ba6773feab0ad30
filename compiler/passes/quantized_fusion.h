#pragma once

#include <cstdint>

#include "compiler/passes/pass.h"

namespace atc {

// The sum of this many products of two 8-bit differences is sure to fit in 32 bits.
inline constexpr int64_t kMaxByteTerms = INT32_MAX / (255 * 255);

// A convolution or matrix product of two dequantised 8-bit tensors becomes one operator on 8-bit tensors: it takes in
// the DequantizeLinear of its operands and bias, the float elementwise operators that follow, the QuantizeLinear at
// their end if there is one, and the change to another scale behind that, as concatenations want it. It keeps its type and owns the graph it stands for (quantized_product.h says what it
// computes).
bool QuantizedProductFusionPass(Graph& graph, PassContext& context);

// An average pooling between DequantizeLinear and QuantizeLinear becomes a pooling of 8-bit tensors.
bool QuantizedPoolingFusionPass(Graph& graph, PassContext& context);

// QuantizeLinear takes in the float elementwise operators before it, and the DequantizeLinear before those, as one
// FusedElementwise.
bool QuantizedElementwiseFusionPass(Graph& graph, PassContext& context);

}  // namespace atc
