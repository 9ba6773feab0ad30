// How this device lays the elements of a tensor out in its slot. The storage formats of an NPU say how large the slot is;
// the elements lie in it as the origin view says, or with channels last, never in blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// The attribute of a node that lists those of its outputs (four dims, channels first, no storage format) whose elements
// lie channels-last in their slots all the same, since everybody who reads them does as well so.
inline constexpr const char* kChannelsLastSlots = "_channels_last_slots";

// Whether the origin view has channels first and the slot has them last.
bool HoldsChannelsLast(const Graph& graph, ValueId value);

// Axis i of the result is axis [i] of the operand: of a Transpose of a constant order, and of a TransData that stands
// for one too (TransposeTransDataPass). Nothing for any other node.
std::optional<std::vector<int64_t>> MovedOrder(const Graph& graph, const Node& node);
// That of such a TransData.
std::optional<std::vector<int64_t>> TransposedInside(const Node& node);

// Whether a TransData, or a Transpose between channels first and channels last, changes the view and no byte: what it
// reads and what it gives lie alike. It needs no task then.
bool KeepsSlot(const Graph& graph, const Node& node);

// By input the storage format that an NPU wants a constant in, "" where there is nothing to say (a list of strings, as an
// attribute of the node that reads it). The constant itself keeps its origin layout in the om: the device prepares it
// when the model is loaded.
inline constexpr const char* kPreparedFormats = "_prepared_formats";

// The desc of input `input` as the node takes it: the storage format of kPreparedFormats with its shape, else that of the
// value.
TensorDesc InputDesc(const Graph& graph, const Node& node, size_t input);

}  // namespace atc
