#include "backend/kernels/gates.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/gates.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/kernels/vector_loop-inl.h"
#include "backend/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Lstm(const float* sums, int64_t n, float* cell, float* state) {
  ForVectors(n, [&](auto d, int64_t i) {
    const auto in = LogisticOf(d, hn::LoadU(d, sums + i));
    const auto out = LogisticOf(d, hn::LoadU(d, sums + n + i));
    const auto forget = LogisticOf(d, hn::LoadU(d, sums + 2 * n + i));
    const auto candidate = TanhOf(d, hn::LoadU(d, sums + 3 * n + i));
    const auto now = hn::MulAdd(forget, hn::LoadU(d, cell + i), hn::Mul(in, candidate));
    hn::StoreU(now, d, cell + i);
    hn::StoreU(hn::Mul(out, TanhOf(d, now)), d, state + i);
  });
}

void Gru(const float* gates, const float* input, int64_t n, const float* before, float* state) {
  ForVectors(n, [&](auto d, int64_t i) {
    const auto update = LogisticOf(d, hn::LoadU(d, gates + i));
    const auto reset = LogisticOf(d, hn::LoadU(d, gates + n + i));
    const auto candidate = TanhOf(d, hn::MulAdd(reset, hn::LoadU(d, gates + 2 * n + i), hn::LoadU(d, input + i)));
    const auto old = hn::LoadU(d, before + i);
    hn::StoreU(hn::MulAdd(update, hn::Sub(old, candidate), candidate), d, state + i);
  });
}

void ResetState(const float* gates, int64_t n, const float* before, float* reset) {
  ForVectors(n, [&](auto d, int64_t i) {
    hn::StoreU(hn::Mul(LogisticOf(d, hn::LoadU(d, gates + n + i)), hn::LoadU(d, before + i)), d, reset + i);
  });
}

void Update(const float* gates, const float* candidate, int64_t n, const float* before, float* state) {
  ForVectors(n, [&](auto d, int64_t i) {
    const auto update = LogisticOf(d, hn::LoadU(d, gates + i));
    const auto now = TanhOf(d, hn::LoadU(d, candidate + i));
    hn::StoreU(hn::MulAdd(update, hn::Sub(hn::LoadU(d, before + i), now), now), d, state + i);
  });
}

void Rnn(const float* sums, int64_t n, float* state) {
  ForVectors(n, [&](auto d, int64_t i) { hn::StoreU(TanhOf(d, hn::LoadU(d, sums + i)), d, state + i); });
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Lstm);
HWY_EXPORT(Gru);
HWY_EXPORT(ResetState);
HWY_EXPORT(Update);
HWY_EXPORT(Rnn);

void LstmStep(const float* sums, int64_t hidden, float* cell, float* state) {
  HWY_DYNAMIC_DISPATCH(Lstm)(sums, hidden, cell, state);
}
void GruStep(const float* gates, const float* input, int64_t hidden, const float* old, float* state) {
  HWY_DYNAMIC_DISPATCH(Gru)(gates, input, hidden, old, state);
}
void GruReset(const float* gates, int64_t hidden, const float* old, float* reset) {
  HWY_DYNAMIC_DISPATCH(ResetState)(gates, hidden, old, reset);
}
void GruUpdate(const float* gates, const float* candidate, int64_t hidden, const float* old, float* state) {
  HWY_DYNAMIC_DISPATCH(Update)(gates, candidate, hidden, old, state);
}
void RnnStep(const float* sums, int64_t hidden, float* state) { HWY_DYNAMIC_DISPATCH(Rnn)(sums, hidden, state); }

}  // namespace atc::kernels
#endif
