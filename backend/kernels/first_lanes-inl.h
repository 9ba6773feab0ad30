// The first lanes of a vector of floats alone, for files that are compiled once a target (hwy/foreach_target.h).
#if defined(OPENATC_BACKEND_KERNELS_FIRST_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPENATC_BACKEND_KERNELS_FIRST_LANES_INL_H_
#undef OPENATC_BACKEND_KERNELS_FIRST_LANES_INL_H_
#else
#define OPENATC_BACKEND_KERNELS_FIRST_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether single lanes can be left out of what is read and written.
constexpr bool kHasLanes = HWY_TARGET <= HWY_AVX2;

// The first `count` elements at `from`, as many as a vector has or fewer, the other lanes 0; no more is touched.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LoadFirst(D d, const float* from, int64_t count) {
  const int64_t few = std::clamp<int64_t>(count, 0, static_cast<int64_t>(hn::Lanes(d)));
  if constexpr (kHasLanes) return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(few)), d, from);
  HWY_ALIGN float all[hn::MaxLanes(d)] = {};
  std::copy_n(from, few, all);
  return hn::Load(d, all);
}

// The other way.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void StoreFirst(D d, V value, float* to, int64_t count) {
  const int64_t few = std::clamp<int64_t>(count, 0, static_cast<int64_t>(hn::Lanes(d)));
  if constexpr (kHasLanes) return hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(few)), d, to);
  HWY_ALIGN float all[hn::MaxLanes(d)];
  hn::Store(value, d, all);
  std::copy_n(all, few, to);
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once a target
