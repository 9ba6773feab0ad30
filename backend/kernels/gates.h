// The elementwise part of recurrent cells: one step of one sequence. Sums are those of ONNX's gates, biases included.
#pragma once

#include <cstdint>

namespace atc::kernels {

// sums holds i, o, f, c, each `hidden` floats; cell is updated, state written.
void LstmStep(const float* sums, int64_t hidden, float* cell, float* state);
// gates holds z, r and the part of the candidate that the reset gate multiplies; input the other part of it. `old` is the
// state before.
void GruStep(const float* gates, const float* input, int64_t hidden, const float* old, float* state);
// The two halves of a GRU that resets before the recurrent product: reset = logistic(r) * old, then the rest.
void GruReset(const float* gates, int64_t hidden, const float* old, float* reset);
void GruUpdate(const float* gates, const float* candidate, int64_t hidden, const float* old, float* state);
void RnnStep(const float* sums, int64_t hidden, float* state);

}  // namespace atc::kernels
