// A convolution or matrix product of 8-bit tensors, written as a fused node whose graph dequantises the operands of its
// heavy operator: what it computes, exactly.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc {

// Inputs of the fused node; -1 where absent.
struct QuantizedOperand {
  int data = -1;
  int scale = -1;
  int zero = -1;
};

struct QuantizedProduct {
  const Node* heavy = nullptr;  // in the fused graph; nullptr: the node is none of these
  QuantizedOperand x, w;        // 8 bits
  QuantizedOperand bias;        // with data and scale: quantised; with data alone: float; without: none
};

QuantizedProduct FindQuantizedProduct(const Node& node);

// The float result of the heavy operator for the inputs of the fused node:
//   float(sum * (scale_x * scale_w[c]) + bias[c])
// in double, where the sum of (x - zero_x) * (w - zero_w) is taken in int32, padding counts as zero_x, and c is the
// output channel or column. bias is the float value of the operand. So it is the real result rounded once, up to an
// error of the double's size; a float evaluation of the same graph rounds every term and differs by its own error.
Tensor Multiply(const QuantizedProduct& product, const std::vector<Tensor>& inputs);

// The bias as float, whatever form it has; undefined without one.
Tensor FloatBias(const QuantizedProduct& product, const std::vector<Tensor>& inputs);

// onnx::QuantizeLinear or onnx::DequantizeLinear between float and an 8-bit integer with one scale for the whole tensor.
bool IsQuantizeOfBytes(const Graph& graph, const Node& node);
bool IsDequantizeOfBytes(const Graph& graph, const Node& node);

// A fused node that holds any of these: it keeps its types in every precision mode.
bool IsQuantizedUnit(const Node& node);

}  // namespace atc
