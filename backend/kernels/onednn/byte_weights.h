// Constant 8-bit weights in the types that primitives take.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/tensor.h"

namespace atc::kernels {

// w (int8 or uint8) less its zero point (one, or one an index of `axis`; nullptr: 0): w itself where that is an int8 less
// nothing, else int16. Undefined where the zero points do not fit.
Tensor ShiftedWeights(const Tensor& w, const Tensor* zero, int64_t axis);

// Sum of tensors[i] * factors[i]; empty where two do not hold the weights.
struct WeightParts {
  std::vector<Tensor> tensors;
  std::vector<uint32_t> factors;
};

// ShiftedWeights as int8 (`integer`) or as float, such that with these no sum of products with differences of bytes can
// reach 2^24 along any output. Strides are those of outputs and of the terms of one output.
WeightParts SplitWeights(const Tensor& w, bool integer, int64_t outputs, int64_t output_stride, int64_t term_stride);

// Of ShiftedWeights [outer, terms, inner]: the sums over terms, [outer, inner].
std::vector<int32_t> SumWeights(const Tensor& w, int64_t outer, int64_t terms, int64_t inner);

}  // namespace atc::kernels
