// A loop over floats by whole vectors, for files that are compiled once a target (hwy/foreach_target.h).
#if defined(OPENATC_BACKEND_KERNELS_VECTOR_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPENATC_BACKEND_KERNELS_VECTOR_LOOP_INL_H_
#undef OPENATC_BACKEND_KERNELS_VECTOR_LOOP_INL_H_
#else
#define OPENATC_BACKEND_KERNELS_VECTOR_LOOP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// f(tag, index) for every index in [0, n) that starts a vector: long ones first, then a few short ones, the last elements
// one by one.
template <class F>
HWY_INLINE void ForVectors(int64_t n, F f) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 4> few;
  const auto step = static_cast<int64_t>(hn::Lanes(d)), small = static_cast<int64_t>(hn::Lanes(few));
  int64_t i = 0;
  for (; i + step <= n; i += step) f(d, i);
  if (small < step) {
    for (; i + small <= n; i += small) f(few, i);
  }
  for (; i < n; ++i) f(hn::CappedTag<float, 1>(), i);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once a target
