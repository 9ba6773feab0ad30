#include "backend/kernels/team_choice.h"

#include <chrono>

namespace atc::kernels {

void TeamChoice::Ran(Times& times, bool together, double took, double now) {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  const bool first = together && times.team == kNever;
  float& least = together ? times.team : times.alone;
  least = std::min(least, static_cast<float>(took));
  // The first time caches are cold and code is made: only what is far beyond all that counts.
  constexpr double kFirstFactor = 20, kFirstUs = 2000;
  const double alone = first                  ? kFirstFactor * times.expected + kFirstUs
                       : times.alone < kNever ? times.alone
                                              : gain_ * times.team;
  if (first && took < alone) return;
  stretch_.took += took;
  stretch_.alone += alone;
  if (!together) {
    if (stretch_.took < kStretch) return;
    pace_ = std::max(1.0, (pace_ + stretch_.took / stretch_.alone) / 2);
    stretch_ = {};
    return;
  }
  const double loss = stretch_.took - pace_ * stretch_.alone;
  if (stretch_.took >= kStretch || loss > (probing_ ? kTrialLoss : kLoss)) End(now, loss > 0);
}

// A stretch with teams is over.
void TeamChoice::End(double now, bool lost) {
  stretch_ = {};
  if (lost) {
    alone_for_ = probing_ ? std::min(2 * alone_for_, kMostAlone) : kLeastAlone;
    alone_until_ = now + alone_for_;
    together_ = false;
  } else {
    pace_ += (1 - pace_) / 8;  // what tasks alone had to wait for may be over
  }
  probing_ = false;
}

double ClockUs() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace atc::kernels
