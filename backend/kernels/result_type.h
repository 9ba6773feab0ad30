// The type in which a kernel that computes floats gives its result.
#pragma once

#include "backend/kernels/half_convert.h"
#include "backend/kernels/kernel.h"

namespace atc::kernels {

struct ResultType {
  explicit ResultType(const Port& port) : dtype(port.dtype), rounded(port.rounded) {}

  bool is_float() const { return dtype == DT_FLOAT; }
  // Whether the floats are the result as they are.
  bool plain() const { return is_float() && rounded == DT_UNDEFINED; }
  // Brings `count` of the floats at `from` into `output`, both the whole result, from element `begin` on. Of a float
  // result both may be the same.
  void Give(void* output, const float* from, int64_t begin, int64_t count) const {
    if (rounded != DT_UNDEFINED) return RoundTo(static_cast<float*>(output) + begin, rounded, from + begin, static_cast<size_t>(count));
    if (output == from) return;
    const auto width = static_cast<int64_t>(TileElementBytes(dtype));
    NarrowTo(static_cast<char*>(output) + begin * width, dtype, from + begin, static_cast<size_t>(count));
  }
  // All of it, by a team.
  void GiveAll(void* output, const float* from, size_t count, int threads) const {
    if (rounded != DT_UNDEFINED) return ParallelRoundTo(static_cast<float*>(output), rounded, from, count, threads);
    if (output != from) ParallelNarrowTo(output, dtype, from, count, threads);
  }

  DataType dtype;
  DataType rounded;
};

}  // namespace atc::kernels
