// ONNX TensorProto files (.pb), as the ONNX backend tests keep their data.
#pragma once

#include <cstddef>
#include <span>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// Parses a whole file. Text tensors, segments and data kept in another file are refused.
// Throws RunError without the file's name.
FileTensor ParseTensorProto(std::span<const std::byte> file);

}  // namespace atc::omrun
