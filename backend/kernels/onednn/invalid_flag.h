// Whether the processor met a NaN in a comparison.
//
// Where oneDNN's generated code takes the larger or smaller of two numbers (Relu, Clip, Maximum, pooling), a NaN becomes
// the other one on x86. The processor notes each such case, and each NaN that arises, in a flag of the thread, which costs
// nothing until it is read.
#pragma once

namespace atc::kernels {

#if defined(__x86_64__)
constexpr bool kNotesNan = true;
#else
constexpr bool kNotesNan = false;  // ARM's instructions give the NaN
#endif

// Of `threads` members of the caller's team whether one has its flag set; clears all.
bool TakeInvalidFlag(int threads);

}  // namespace atc::kernels
