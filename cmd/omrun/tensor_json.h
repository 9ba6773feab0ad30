// Tensors as JSON, for programs that have no reader of NumPy's files.
#pragma once

#include <string_view>
#include <vector>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// {"dtype": "float32", "shape": [2, 3], "values": [...]}: the values in a row; numbers that JSON has not are "nan", "inf"
// and "-inf", a complex element is two numbers. Every number reads back to the same value.
std::vector<std::byte> FormatTensorJson(const Tensor& tensor);

// The reverse. Throws RunError without the file's name.
FileTensor ParseTensorJson(std::string_view text);

}  // namespace atc::omrun
