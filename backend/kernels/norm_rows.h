// What normalisations do with a row of floats, as fast as the CPU allows.
#pragma once

#include <cstdint>

namespace atc::kernels {

struct RowStatistics {
  float mean = 0;
  float mean_square = 0;  // of the distances from the mean
};

// Of at least one element, in two passes; sums of pieces are added in double. Not `centered`: the mean is taken as 0.
RowStatistics StatisticsOf(const float* x, int64_t n, bool centered);

// The same of a sum that is written on the way: sum[i] = (a[i] + b[i]) + c[i], c may be nullptr. `sum` may be a, b or c.
RowStatistics StatisticsOfSum(float* sum, const float* a, const float* b, const float* c, int64_t n, bool centered);

// y[i] = (x[i] - mean) * inverse * scale[i] + shift[i]; without scale and shift where they are nullptr (shift only
// where scale is). y may be x.
void NormalizeRow(float* y, const float* x, int64_t n, float mean, float inverse, const float* scale, const float* shift);

}  // namespace atc::kernels
