// Loops over rows of floats, as fast as the CPU allows.
#pragma once

#include <cstdint>

namespace atc::kernels {

enum class Fold { kSum, kMax, kMin };

// All of a row in one number; of at least one element. NaN wins over any number.
float FoldRow(Fold fold, const float* x, int64_t n);
// into[i] = fold(into[i], x[i])
void FoldInto(Fold fold, float* into, const float* x, int64_t n);

// y[i] = x[i] * scale[i] + shift[i]
void ScaleShiftRow(float* y, const float* x, const float* scale, const float* shift, int64_t n);
// The same with one scale and shift.
void ScaleShiftAll(float* y, const float* x, float scale, float shift, int64_t n);

// y[i] = sum over k of weights[k] * rows[k][i], for at least one row.
void CombineRows(float* y, const float* const* rows, const float* weights, int count, int64_t n);

// y[i] = x[i] / (bias + alpha * squares[i]) ^ beta
void DivideByPower(float* y, const float* x, const float* squares, float bias, float alpha, float beta, int64_t n);
// sums[i] = sum of x[k]^2 for k from i - before to i + after, as far as they are in [0, n).
void SumSquaresAround(float* sums, const float* x, int64_t before, int64_t after, int64_t n);
// into[i] += x[i]^2
void AddSquares(float* into, const float* x, int64_t n);

}  // namespace atc::kernels
