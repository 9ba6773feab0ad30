// A run of a graph as it is expected on the device: predicted, never measured.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/streams/task_cost.h"

namespace atc {

// Of one task: microseconds from the start of the run.
struct PredictedTask {
  NodeId node = kNoId;
  TaskCost cost;
  double start = 0, end = 0;
  double waited = 0;      // of a Recv: how long its stream stands still for it
  NodeId after = kNoId;   // what its start came right after: the task before it on its stream, or the Send it waits for
};

struct PredictedRun {
  std::vector<PredictedTask> tasks;  // in launch order; Send and Recv among them
  double makespan = 0;
  int32_t measured = 0;              // tasks whose cost is a measured one
  int32_t kernels = 0;               // tasks without Send and Recv
  std::vector<NodeId> critical_path; // kernels, from the first to the one that ends last
};

// What a wait takes that finds its event recorded by another stream, in microseconds.
inline constexpr double kPredictedEventUs = 1;

// For a graph with streams, launched in order of node ids with Send and Recv in place. Each stream runs its tasks in
// order; tasks that run at the same time on one kind of cores and want more of them than there are slow each other down
// alike. Linear in tasks times streams.
PredictedRun PredictRun(const Graph& graph, const OpSummary& measured, int cube_cores, int vector_cores);

}  // namespace atc
