// Whether tasks have a team or run alone, while the cores of its members may have other work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backend/kernels/team.h"

namespace atc::kernels {

// Members of a team share a task out beforehand and wait for each other at its end. Where other programs want the cores,
// one of them waits for its turn, milliseconds in a task of microseconds. This compares what stretches of tasks with teams
// take with what they would take alone, at the pace that tasks alone had lately; where teams lose, tasks run alone for a
// while, longer each time that trying a team again ends like that. One object for each thread that calls kernels, or one at
// a time; times are microseconds.
class TeamChoice {
 public:
  // Of one task, the shortest seen.
  struct Times {
    float expected = std::numeric_limits<float>::infinity();  // alone, before it has run
    float team = std::numeric_limits<float>::infinity();
    float alone = std::numeric_limits<float>::infinity();
  };

  explicit TeamChoice(int threads) : gain_(std::max(1.0, kEfficiency * threads)) {}

  // Whether a task that begins now is to have a team.
  bool Together(double now) {
    if (now < alone_until_) return false;
    if (!together_) {
      together_ = probing_ = true;
      stretch_ = {};
    }
    return true;
  }
  // A task that had a team, or ran alone, took so long and is over now.
  void Ran(Times& times, bool together, double took, double now);

 private:
  // Tasks one after another: what they took, and would take alone on a free core.
  struct Stretch {
    double took = 0, alone = 0;
  };
  static constexpr double kEfficiency = 0.85;  // of a team, as far as nothing is known
  static constexpr double kStretch = 20e3;     // long enough for a few turns of other programs
  // So much lost is enough to end a stretch early: that of a trial, or another.
  static constexpr double kTrialLoss = 6e3, kLoss = 10e3;
  static constexpr double kLeastAlone = 20e3, kMostAlone = 500e3;

  void End(double now, bool lost);

  double gain_;
  Stretch stretch_;
  double pace_ = 1;  // of tasks alone: what they take against the shortest time seen
  double alone_until_ = 0;
  double alone_for_ = 0;  // the last time
  bool together_ = true;
  bool probing_ = false;
};

// Microseconds of a steady clock.
double ClockUs();

// What task() returns, which may start teams of `threads` members as `choice` says.
template <typename Task>
auto RunChosen(TeamChoice& choice, TeamChoice::Times& times, int threads, const Task& task) {
  if (threads <= 1) {
    const Team team(1);
    return task();
  }
  const double begin = ClockUs();
  const bool together = !IsAlone() && choice.Together(begin);
  const auto result = [&] {
    const Team team(together ? threads : 1);
    const Alone alone(!together);
    return task();
  }();
  const double end = ClockUs();
  choice.Ran(times, together, end - begin, end);
  return result;
}

}  // namespace atc::kernels
