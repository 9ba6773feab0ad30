// How long a task is expected to take on the host's cores.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

struct TaskTime {
  double alone_us = 0;  // on one core
  double team_us = 0;   // on all cores of the budget, the start of the team included
  bool team() const { return team_us < alone_us; }
};

// An estimate from the bytes that the task moves and the operations it makes, at the rates of an ordinary core; a task
// without a fast kernel takes many times as long and never has a team. Good for choices between ways to run a plan, of
// which only the ratio matters.
TaskTime EstimateTaskTime(const Graph& graph, const Node& node, int cores);

}  // namespace atc
