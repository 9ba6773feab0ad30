// Tensors as text: numbers separated by spaces, one line for each row along the last dim.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// Every number reads back to the same value. Complex elements are two numbers, real and imaginary. Strings are JSON's, one
// a line.
std::vector<std::byte> FormatText(const Tensor& tensor);

// The reverse, for a known type and shape. Throws RunError without the file's name.
Tensor ParseText(std::span<const std::byte> file, aclDataType type, const Dims& dims);

}  // namespace atc::omrun
