// Kernels that kernel_launch_test loads: each block handles its part of the elements.
#include <cstdint>

#include "acl/openatc_kernel.h"

extern "C" __global__ __aicore__ void scale_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t count, int64_t factor) {
  const auto* a = reinterpret_cast<const int32_t*>(x);
  const auto* b = reinterpret_cast<const int32_t*>(y);
  auto* out = reinterpret_cast<int32_t*>(z);
  for (int64_t i = GetBlockIdx(); i < count; i += GetBlockNum()) out[i] = a[i] + static_cast<int32_t>(factor) * b[i];
}

extern "C" void add_table(int32_t* out, const int32_t* table) { out[openatcGetBlockIdx()] = table[openatcGetBlockIdx()]; }

extern "C" void nothing() {}
