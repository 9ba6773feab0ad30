// Loops that the calling thread's team shares.
#pragma once

#include <cstdint>

#include "backend/kernels/team.h"

namespace atc::kernels {

// body(0) to body(count - 1), cut into as many runs as the team has threads. The caller works alone where `threads` is 1:
// a team of one takes half a microsecond, as long as a small task. `body` must not throw.
template <typename Body>
void ForTeam(int threads, int64_t count, const Body& body) {
  if (threads <= 1 || count <= 1 || IsAlone()) {
    for (int64_t i = 0; i < count; ++i) body(i);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace atc::kernels
