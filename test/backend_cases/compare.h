// Whether outputs are the expected ones.
#pragma once

#include <string>

#include "compiler/ir/tensor.h"

namespace atc::backend_cases {

// Empty when `found` is what is expected, else the first difference in words.
//
// Dtype and shape must be equal; integers, bools, strings and floats of 8 bits and fewer too. Other floats may differ
// by atol 1e-5 + rtol * |expected|, with rtol 1e-3 as in ONNX's own runner (its atol is 1e-7; values that cancel to
// near zero depend on the order of summation) and 2^-7, one unit in the last place, for bf16. NaN equals NaN.
std::string Difference(const Tensor& expected, const Tensor& found);

// The same for one draw of a random variable against another of as many elements: dtype and shape must be equal, means
// and standard deviations may differ by five times their standard error. Real numbers and bools only.
std::string StatisticalDifference(const Tensor& expected, const Tensor& found);

}  // namespace atc::backend_cases
