#include "backend/kernels/team.h"

#include <omp.h>

namespace atc::kernels {
namespace {

thread_local bool is_alone = false;

}  // namespace

Team::Team(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }

Team::~Team() { omp_set_num_threads(before_); }

Alone::Alone(bool alone) : before_(is_alone) { is_alone = before_ || alone; }

Alone::~Alone() { is_alone = before_; }

bool IsAlone() { return is_alone; }

bool RunTogether(int members, const std::function<void(int)>& body) {
  if (is_alone) return false;
  bool enough = true;
#pragma omp parallel num_threads(members)
  {
    if (omp_get_num_threads() == members) {
      omp_set_num_threads(1);
      body(omp_get_thread_num());
    } else {
#pragma omp master
      enough = false;
    }
  }
  return enough;
}

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace atc::kernels
