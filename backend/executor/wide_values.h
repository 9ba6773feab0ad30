// Which half tensors of a plan tasks hand on as floats, so that what one narrows the next need not widen again.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/om/om_model.h"

namespace atc {

// By value: whether its place holds floats, rounded to its type. Those are halves that a task makes and that some task
// would have to widen apart; all who touch their bytes have to take both. Nothing that enters or leaves the model.
// `computed`: by node, whether its results are constants.
std::vector<bool> FindWideValues(const Graph& graph, const std::vector<Task>& tasks, const std::vector<bool>& computed);

}  // namespace atc
