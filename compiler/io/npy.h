// Arrays as NumPy saves them, read only.
#pragma once

#include <string>

#include "compiler/ir/tensor.h"

namespace atc {

// A .npy file of versions 1 to 3 with booleans, integers, float16, float32, float64 or strings (of characters, which
// become UTF-8, or of bytes), little-endian, row- or column-major. Throws Error: E10001 (value: the file; reason: what is
// wrong), E13001, E13003.
Tensor ReadNpy(const std::string& path);

}  // namespace atc
