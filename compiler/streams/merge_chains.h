// Chains of tasks are merged until they need no more than N streams.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/ir/parallel_mode.h"
#include "compiler/streams/task_cost.h"

namespace atc {

// Tasks with dense numbers in launch order; edges lead from smaller to greater ones.
struct TaskDag {
  std::vector<TaskCost> cost;
  std::vector<std::vector<uint32_t>> before, after;
  double cube_cores = 1;
  double vector_cores = 1;
};

// The stream, 0 to N - 1, of each task; `chains` hold every task once. Chains are placed one after the other, by level
// (the length of the longest path to their first task), each on the stream with the smallest score among a few:
//   LoadBalance  3 waits + 4 (peak + variance) + 1 load + 2 new
//   MainStream   3 waits + 4 conflict + 2 new - 4 main
//   Weighted     4 overlap + 2 load + 3 waits + 2 new; of the best three that which is over first, cores counted
// with
//   waits     dependencies that would cross streams, each counted with the time of an event, per time of the chain, at
//             most 1
//   peak      the stream's work with the chain in a window of 6 levels that the chain is in, per fair share of that
//             window's work; of all such windows the greatest
//   variance  of the streams' loads, each per fair share of all work
//   load      the stream's load with the chain, per all work
//   new       1 where the stream holds nothing yet
//   conflict  share of the chain's levels at which the stream is taken
//   main      1 on stream 0 for a chain with a task of the critical path
//   overlap   share of the chain's earliest time during which the stream is still busy
// Under MainStream a chain that has its levels to itself is on stream 0. Equal scores: the smaller stream. Linear in
// tasks and edges, but for the few streams looked at.
std::vector<int32_t> MergeChains(const TaskDag& dag, const std::vector<std::vector<uint32_t>>& chains,
                                 const ParallelMode& mode);

}  // namespace atc
