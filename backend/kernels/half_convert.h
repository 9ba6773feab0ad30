// fp16 and bf16 to and from float, as fast as the CPU allows; rounding to nearest even, NaN and infinities kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/ir/data_type.h"

namespace atc::kernels {

// `from` is DT_FLOAT16, DT_BF16 or DT_FLOAT (a copy).
void WidenTo(float* out, const void* in, DataType from, size_t count);
// `to` likewise.
void NarrowTo(void* out, DataType to, const float* in, size_t count);

// The same spread over a team of `threads`.
void ParallelWidenTo(float* out, const void* in, DataType from, size_t count, int threads);
void ParallelNarrowTo(void* out, DataType to, const float* in, size_t count, int threads);

}  // namespace atc::kernels
