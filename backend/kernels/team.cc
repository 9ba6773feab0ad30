#include "backend/kernels/team.h"

#include <omp.h>

namespace atc::kernels {

Team::Team(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }

Team::~Team() { omp_set_num_threads(before_); }

}  // namespace atc::kernels
