// The values of one element type as another.
#pragma once

#include <string>

#include "compiler/ir/tensor.h"

namespace atc {

struct CastRules {
  enum E8M0 { kUp, kDown, kNearest };
  bool saturate = true;  // 8-bit floats: beyond the range the largest value, else infinity or NaN
  E8M0 e8m0 = kUp;       // how a value that is no power of two becomes one
};

// Fills `to`, which has as many elements as `from`. Empty, or what cannot be converted.
//
// Floats round once, to nearest even. Floats become integers of 8 bits and more by truncation, those out of range the
// nearest value, NaN 0; those of fewer bits drop the high bits of the truncated value (as ONNX's tests have it). Integers
// become narrower ones by dropping bits. Bool is 0 or 1, and anything but 0 becomes true. Strings are written in the fewest
// digits that read back as the same value, and read as decimal numbers. Complex numbers become complex ones only.
std::string CastElements(const Tensor& from, const CastRules& rules, Tensor* to);

}  // namespace atc
