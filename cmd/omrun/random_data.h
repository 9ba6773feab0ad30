// Seeded random inputs, the same on every machine and for every standard library.
#pragma once

#include <cstdint>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {

// Fills a tensor of that type and shape (all dims known). The generator is std::mt19937_64 (its sequence is fixed by
// the C++ standard) seeded with seed + 0x9E3779B97F4A7C15 * (index + 1), so that each input has data of its own that
// does not depend on the others. Each scalar takes one draw u (64 bits):
//   floats, and both parts of complex types: k / 2^(b-1) - 1 with k the top b bits of u, uniform in [-1, 1);
//     b = 53 for float64, 24 for float32, 11 for float16, 8 for bfloat16, 3 for narrower ones, so that every value is
//     exact (float8_e8m0, which has powers of two alone: 2^-k of 0 to 7)
//   integers: the top 3 bits of u, 0 to 7 (narrower types: as many of them as fit, without the sign)
//   bool: the top bit of u
Tensor RandomTensor(aclDataType type, const Dims& dims, uint64_t seed, uint64_t index);

}  // namespace atc::omrun
