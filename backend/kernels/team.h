// How many OpenMP threads work for the calling thread.
#pragma once

#include <functional>

namespace atc::kernels {

// While it lives, teams that the calling thread starts have `threads` members unless they say otherwise. oneDNN says
// nothing: it takes what the thread has, both when a primitive is made and when it runs.
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

 private:
  int before_;
};

// While it lives with `alone`, the calling thread starts no teams: what is meant for several members it does itself, and
// kernels that were made for a team do the same without one. Inner ones change nothing.
class Alone {
 public:
  explicit Alone(bool alone);
  ~Alone();
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  bool before_;
};
bool IsAlone();

// Calls body(0) to body(members - 1) at the same time, each on a member of the caller's team, and waits for all; what
// they start has a team of one. The members are the threads that serve the caller's kernels otherwise, so that changing
// between one wide task and several narrow ones wakes and binds nobody. False, with nothing called, where so many
// threads are not to be had (inside of another team, or alone). `body` must not throw.
bool RunTogether(int members, const std::function<void(int)>& body);

// For loops that look for a change in memory.
void Pause();

}  // namespace atc::kernels
