// Constants of one element, for converters and passes.
#pragma once

#include "compiler/ir/tensor.h"

namespace atc {

// A scalar (shape []) of a real element type: integers truncate `value` and keep it within their range, halves round.
// An undefined tensor for other types (string, complex, sub-byte, 8-bit floats).
Tensor ScalarOf(DataType dtype, double value);

}  // namespace atc
