#include "backend/kernels/interleave.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/kernels/interleave.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void Join(const uint32_t* from, int64_t stride, int64_t planes, int64_t n, uint32_t* to) {
  const hn::ScalableTag<uint32_t> d;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= n; i += step) {
    const auto plane = [&](int64_t p) { return hn::LoadU(d, from + p * stride + i); };
    if (planes == 2) hn::StoreInterleaved2(plane(0), plane(1), d, to + i * 2);
    if (planes == 3) hn::StoreInterleaved3(plane(0), plane(1), plane(2), d, to + i * 3);
    if (planes == 4) hn::StoreInterleaved4(plane(0), plane(1), plane(2), plane(3), d, to + i * 4);
  }
  for (; i < n; ++i) {
    for (int64_t p = 0; p < planes; ++p) to[i * planes + p] = from[p * stride + i];
  }
}

void Part(const uint32_t* from, int64_t planes, int64_t n, uint32_t* to, int64_t stride) {
  const hn::ScalableTag<uint32_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= n; i += step) {
    V v[4];
    if (planes == 2) hn::LoadInterleaved2(d, from + i * 2, v[0], v[1]);
    if (planes == 3) hn::LoadInterleaved3(d, from + i * 3, v[0], v[1], v[2]);
    if (planes == 4) hn::LoadInterleaved4(d, from + i * 4, v[0], v[1], v[2], v[3]);
    for (int64_t p = 0; p < planes; ++p) hn::StoreU(v[p], d, to + p * stride + i);
  }
  for (; i < n; ++i) {
    for (int64_t p = 0; p < planes; ++p) to[p * stride + i] = from[i * planes + p];
  }
}

}  // namespace atc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atc::kernels {

HWY_EXPORT(Join);
HWY_EXPORT(Part);

void Interleave(const uint32_t* planes_at, int64_t stride, int64_t planes, int64_t n, uint32_t* pixels) {
  HWY_DYNAMIC_DISPATCH(Join)(planes_at, stride, planes, n, pixels);
}
void Deinterleave(const uint32_t* pixels, int64_t planes, int64_t n, uint32_t* planes_at, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(Part)(pixels, planes, n, planes_at, stride);
}

}  // namespace atc::kernels
#endif
