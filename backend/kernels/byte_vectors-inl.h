// Vectors of bytes, their products and how sums become bytes again, for files that are compiled once a target
// (hwy/foreach_target.h); not for HWY_SCALAR.
#if defined(OPENATC_BACKEND_KERNELS_BYTE_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPENATC_BACKEND_KERNELS_BYTE_VECTORS_INL_H_
#undef OPENATC_BACKEND_KERNELS_BYTE_VECTORS_INL_H_
#else
#define OPENATC_BACKEND_KERNELS_BYTE_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// sum + the products of four unsigned bytes of x with those of w, signed. In assembly, since the compiler's function
// for it may only be called where all code is for processors with VNNI.
template <class V32, class V8, class W8>
HWY_INLINE V32 AddQuads(V32 sum, V8 x, W8 w) {
#if HWY_TARGET == HWY_AVX3
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(w.raw));
#else
  (void)x, (void)w;
#endif
  return sum;
}

// sum + the products of two numbers of 16 bits.
template <class D32, class V16>
HWY_INLINE hn::VFromD<D32> AddPairs(D32 d32, V16 x, V16 w, hn::VFromD<D32> sum) {
#if HWY_ARCH_X86
  auto unused = hn::Zero(d32);
  return hn::ReorderWidenMulAccumulate(d32, x, w, sum, unused);
#else
  const auto a = hn::BitCast(d32, x), b = hn::BitCast(d32, w);
  const auto low = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  return hn::Add(sum, hn::Add(low, hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b))));
#endif
}

// To the nearest whole number, for what an int32 holds: Highway's function looks for what it does not hold.
template <class DF>
HWY_INLINE hn::VFromD<hn::RebindToSigned<DF> > Nearest(DF, hn::VFromD<DF> v) {
#if HWY_ARCH_X86
  using V = hn::VFromD<hn::RebindToSigned<DF> >;
#if HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(DF()) == 16)
    return V{_mm512_cvtps_epi32(v.raw)};
  else
#endif
#if HWY_TARGET <= HWY_AVX2
      if constexpr (hn::MaxLanes(DF()) == 8)
    return V{_mm256_cvtps_epi32(v.raw)};
  else
#endif
    return V{_mm_cvtps_epi32(v.raw)};
#else
  return hn::NearestInt(v);
#endif
}

// Of each sixteen bytes eight from `a` and eight from `b`, saturated to the range of bytes.
template <class D8, class V16>
HWY_INLINE hn::VFromD<D8> Pack(D8 d8, V16 a, V16 b, bool is_signed) {
#if HWY_ARCH_X86
  using V = hn::VFromD<D8>;
#if HWY_TARGET <= HWY_AVX3
  if constexpr (hn::MaxLanes(d8) == 64) {
    return is_signed ? V{_mm512_packs_epi16(a.raw, b.raw)} : V{_mm512_packus_epi16(a.raw, b.raw)};
  } else
#endif
#if HWY_TARGET <= HWY_AVX2
      if constexpr (hn::MaxLanes(d8) == 32) {
    return is_signed ? V{_mm256_packs_epi16(a.raw, b.raw)} : V{_mm256_packus_epi16(a.raw, b.raw)};
  } else
#endif
  {
    return is_signed ? V{_mm_packs_epi16(a.raw, b.raw)} : V{_mm_packus_epi16(a.raw, b.raw)};
  }
#else
  const hn::Half<D8> half;
  const hn::RebindToSigned<D8> di8;
  const hn::RebindToSigned<decltype(half)> half_signed;
  if (is_signed) {
    return hn::BitCast(d8, hn::Combine(di8, hn::DemoteTo(half_signed, b), hn::DemoteTo(half_signed, a)));
  }
  return hn::Combine(d8, hn::DemoteTo(half, b), hn::DemoteTo(half, a));
#endif
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // once a target
