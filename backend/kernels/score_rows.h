// Rows of scores: single ones made, and the softmax of any with what happens to them before.
#pragma once

#include <cstdint>

namespace atc::kernels {

struct RowStep {
  enum Kind : uint8_t { kScale, kFloor, kAdd, kAddOne, kMul, kSelect, kFill } kind = kScale;
  float number = 1;                // kScale: factor; kFloor: the least; kAddOne: addend; kSelect, kFill: what is put in
  const float* addend = nullptr;   // kAdd, kMul: addend or factor, one for each score
  const uint8_t* flags = nullptr;  // kSelect: one for each score
  bool keep = true;                // kSelect: the score stays where its flag is this
};

// y = softmax(x after the steps, in order), of n >= 1 scores. y may be x. NaN as in IEEE arithmetic: a row of -infinity
// alone is NaN.
void SoftmaxRow(float* y, const float* x, int64_t n, const RowStep* steps, int count);

// scores[i] = sum over t < size of query[t] * keys[i * stride + t], for i < count.
void ScoresOfRow(float* scores, const float* query, const float* keys, int64_t stride, int64_t count, int64_t size);

}  // namespace atc::kernels
