// Many runs: which, by how many threads and streams, and what they took.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cmd/omrun/feed.h"
#include "cmd/omrun/slot.h"

namespace atc::omrun {

struct RunPlan {
  std::string model;
  std::vector<int32_t> devices = {0};
  uint32_t threads = 1;  // of each device
  uint32_t streams = 1;  // of each thread
  SlotOptions slot;
  uint32_t warmup = 0;    // runs of each slot before the measured ones
  double warmup_ms = 0;   // and at least so long
  uint64_t loop = 1;      // measured runs of each group
  double duration = 0;    // seconds, and at least so long
  double idle_ms = 0;        // of a thread, after each run
  double start_delay_ms = 0; // before the first run of all
  bool read_again = false;   // the inputs of a slot are given anew for each run, even when the sample is the same
  bool transfers = false;   // copy inputs and outputs in every run
  bool check_runs = false;  // the outputs of all runs of a group are the same bits
  bool profile = false;

  size_t slots() const { return devices.size() * threads * streams; }
};

struct MeasuredRun {
  size_t group = 0;
  uint32_t slot = 0;
  RunTimes times;
};

struct RunOutcome {
  double load_ms = 0, first_run_ms = 0;
  double measured_s = 0;  // from the first measured run to the end of the last
  uint64_t start_ns = 0;  // of the first measured run
  std::vector<MeasuredRun> runs;                // in the order in which they ended
  std::vector<profile::ModelProfile> profiles;  // by slot
  uint64_t checked = 0;                         // runs whose outputs were compared with the first ones
  std::optional<openatcModelStats> stats;       // of the first copy
};

// What is told while it runs; calls come from one thread at a time.
struct RunEvents {
  std::function<void()> first_run;  // the first run of all is over
  // The outputs of the first measured run of a group.
  std::function<void(size_t group, std::vector<Tensor> outputs)> outputs;
  // The device failed a run of this group; all other runs have ended. Comes before RunAll throws.
  std::function<void(size_t group)> failed;
};

// The model that is given serves the first slot; others load copies of their own. Without threads, streams and devices
// beyond one all happens on the calling thread. Throws the first RunError of any slot, after all threads have stopped.
RunOutcome RunAll(Model& first, const RunPlan& plan, Feed& feed, const RunEvents& events);

}  // namespace atc::omrun
