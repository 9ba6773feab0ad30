// How far a result is from what it should be.
#pragma once

#include "compiler/ir/tensor.h"

namespace atc {

// The largest of |value - reference| over what is tolerated of an element: 1e-4 + 1e-3 |reference| of floats, 1 of
// 8-bit integers, which hold rounded quantities, next to nothing (1e-4) of other integers and booleans. Infinite where
// types of different kinds (half types count as float), shapes, strings or the lengths of sequences differ, or where
// NaN or an infinity stands on one side alone.
double OutputDistance(const Tensor& reference, const Tensor& value);

// How many elements are NaN or infinite: at these there is nothing to measure.
int64_t CountNonFinite(const Tensor& tensor);

}  // namespace atc
