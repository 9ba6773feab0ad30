#include "backend/kernels/team_choice.h"

#include <chrono>

namespace atc::kernels {

void TeamChoice::Ran(Times& times, bool together, double took, double now) {
  const bool first = together && times.team == std::numeric_limits<float>::infinity();
  float& least = together ? times.team : times.alone;
  least = std::min(least, static_cast<float>(took));
  if (!together) return;
  // The first time caches are cold and code is made: only what is far beyond all that counts.
  constexpr double kFirstFactor = 20, kFirstUs = 2000;
  const double alone = first ? kFirstFactor * times.expected + kFirstUs
                       : times.alone < std::numeric_limits<float>::infinity() ? times.alone
                                                                              : gain_ * times.team;
  if (first && took < alone) return;
  credit_ = std::min(credit_ + alone - took, kMostCredit);
  if (credit_ >= 0) return;
  // Teams that did well for as long as the last time alone start anew.
  const double before = now - together_since_ < alone_for_ ? 2 * alone_for_ : 0;
  constexpr double kTimesLost = 8;
  alone_for_ = std::clamp(std::max(before, kTimesLost * (took - alone)), kLeastAlone, kMostAlone);
  alone_until_ = now + alone_for_;
  together_ = false;
}

double ClockUs() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace atc::kernels
