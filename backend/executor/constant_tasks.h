// Tasks whose result is the same in every run: done once, at load, so that the kernels behind them meet constants.
#pragma once

#include <vector>

#include "compiler/om/om_model.h"

namespace atc {

// Runs, in their order, the tasks of `tasks` that read nothing but constants: the compiler leaves them in a model where
// what they fill would only make its file larger. `constants` holds a tensor for each value of `graph`, undefined where
// it is no constant, and gains the results. Returns which nodes were run, by node id.
std::vector<bool> RunConstantTasks(const Graph& graph, const std::vector<Task>& tasks, std::vector<Tensor>& constants);

}  // namespace atc
