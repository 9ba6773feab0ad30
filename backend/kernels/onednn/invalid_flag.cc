#include "backend/kernels/onednn/invalid_flag.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <atomic>

#include "backend/kernels/for_team.h"

namespace atc::kernels {
namespace {

bool TakeHere() {
#if defined(__x86_64__)
  const unsigned flags = _mm_getcsr();
  if ((flags & _MM_EXCEPT_INVALID) == 0) return false;
  _mm_setcsr(flags & ~static_cast<unsigned>(_MM_EXCEPT_INVALID));
  return true;
#else
  return false;
#endif
}

}  // namespace

bool TakeInvalidFlag(int threads) {
  if (threads <= 1) return TakeHere();
  std::atomic<bool> found = false;
  ForTeam(threads, threads, [&](int64_t) {
    if (TakeHere()) found.store(true, std::memory_order_relaxed);
  });
  return found.load(std::memory_order_relaxed);
}

}  // namespace atc::kernels
