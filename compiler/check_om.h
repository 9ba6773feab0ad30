// A judge of a finished om: what its tasks and events alone guarantee.
#pragma once

#include <string>
#include <vector>

#include "compiler/om/om_model.h"

namespace atc {

struct OmVerdict {
  std::vector<std::string> faults;  // at most kMostFaults; empty: the om is in order
  size_t tasks = 0;
  int64_t streams = 0;
  int64_t events = 0;
  int64_t bytes = 0;     // of feature memory
  size_t accesses = 0;   // reads and writes of tasks that were judged
};

inline constexpr size_t kMostFaults = 100;

// Runs the task list in an order that its events allow, and keeps for every byte of feature memory who wrote it and who
// read it last on each stream. Whether others may still run is settled by clocks (om_order.h). A fault is
//   a read of bytes that hold something else than the value wanted, or whose writer may still run,
//   a write to bytes whose writer or readers may still run, the task itself among them,
//   a control dependency that is not kept,
//   an event that is recorded more than once, or waited for in vain.
//   a stream that a StreamActive is to start and none does.
// Each names the pair of tasks, their nodes and streams, and the bytes. Uses order from the task list only, never edges of
// the graph. Where memory is not planned, in models of unknown shapes and in nested graphs, a read must come after the
// task that makes the value; nested graphs are judged one by one, each as the list of its nodes. Near linear in tasks, once for each 64 streams.
OmVerdict CheckOm(const OmModel& model);

// Reads and judges a file. Throws as ReadOm does.
OmVerdict CheckOmFile(const std::string& path);

}  // namespace atc
