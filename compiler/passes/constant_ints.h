// Inputs that say axes, sizes or paddings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// The elements of a constant input of integers; nothing where it is absent, computed or of another type.
std::optional<std::vector<int64_t>> ConstantInts(const Graph& graph, const Node& node, uint32_t input);

// Whether an optional input is there.
inline bool HasInput(const Node& node, uint32_t input) { return node.inputs.size() > input && node.inputs[input] != kNoId; }

}  // namespace atc
