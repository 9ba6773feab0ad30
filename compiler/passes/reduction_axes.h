// The axes of a reduction, for passes that look for what reduces over the same ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Over which axes of its operand 0, from 0 and ascending, `reduction` goes that keeps them as dims of 1. Nothing where the
// dims go, the rank is not known, or the axes are none, not constant or out of range.
std::optional<std::vector<int64_t>> KeptAxes(const Graph& graph, const Node& reduction);

}  // namespace atc
