// How many OpenMP threads work for the calling thread.
#pragma once

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

}  // namespace atc::kernels
