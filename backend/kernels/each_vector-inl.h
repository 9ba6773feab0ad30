// Steps over a row by vectors of floats, for files that are compiled once a target (hwy/foreach_target.h).
#if defined(OPENATC_BACKEND_KERNELS_EACH_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPENATC_BACKEND_KERNELS_EACH_VECTOR_INL_H_
#undef OPENATC_BACKEND_KERNELS_EACH_VECTOR_INL_H_
#else
#define OPENATC_BACKEND_KERNELS_EACH_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// visit(tag, index) for every index in [0, n) that starts a vector; the last ones one by one.
template <class F>
HWY_INLINE void EachVector(int64_t n, F visit) {
  const hn::ScalableTag<float> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= n; i += step) visit(d, i);
  for (; i < n; ++i) visit(hn::CappedTag<float, 1>(), i);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
