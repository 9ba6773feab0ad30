// Decoding and encoding of the 8-bit and 4-bit float formats of ONNX (OCP FP8, Graphcore/AMD FNUZ, OCP MX E8M0 and E2M1).
#pragma once

#include <cstdint>

#include "compiler/ir/data_type.h"

namespace atc {

// `dtype` is one of the DT_FLOAT8_* types.
float Float8ToFloat(DataType dtype, uint8_t bits);
// Rounds to nearest even. Out of range: the largest finite value when `saturate`, else infinity or NaN, whichever
// the format has (ONNX Cast, table of opset 19).
uint8_t FloatToFloat8(DataType dtype, float value, bool saturate);

float Float4E2M1ToFloat(uint8_t nibble);
// Rounds to nearest even and saturates: the format has neither infinity nor NaN.
uint8_t FloatToFloat4E2M1(float value);

}  // namespace atc
