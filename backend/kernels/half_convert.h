// fp16 and bf16 to and from float, as fast as the CPU allows; rounding to nearest even, NaN and infinities kept. Whole
// numbers of 8 bits as well.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/ir/data_type.h"

namespace atc::kernels {

// `from` is DT_FLOAT16, DT_BF16, DT_INT8, DT_UINT8 or DT_FLOAT (a copy).
void WidenTo(float* out, const void* in, DataType from, size_t count);
// `to` likewise; for the integer types the floats are whole and within range.
void NarrowTo(void* out, DataType to, const float* in, size_t count);

// The floats that widening what NarrowTo makes of `in` gives; `to` is DT_FLOAT16 or DT_BF16. `out` may be `in`.
void RoundTo(float* out, DataType to, const float* in, size_t count);

// Bytes of an element of these types.
size_t TileElementBytes(DataType dtype);

// The same spread over a team of `threads`.
void ParallelWidenTo(float* out, const void* in, DataType from, size_t count, int threads);
void ParallelNarrowTo(void* out, DataType to, const float* in, size_t count, int threads);
void ParallelRoundTo(float* out, DataType to, const float* in, size_t count, int threads);

}  // namespace atc::kernels
