// What a task is expected to take.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/streams/op_summary.h"

namespace atc {

struct TaskCost {
  double us = 0;
  bool cube = false;   // on cube cores, else on vector cores
  double blocks = 1;   // cores taken meanwhile
  bool measured = false;
};

// The time in `measured` under the node's name, else an estimate: a fixed part for the launch, and the longer of moving
// the bytes of all inputs and outputs and of computing. A convolution or matrix product of K products for each output
// element counts 2 K operations an element, everything else one.
TaskCost CostOf(const Graph& graph, const Node& node, const OpSummary& measured);

}  // namespace atc
