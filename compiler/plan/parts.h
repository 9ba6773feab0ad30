// Concatenations and splits that move nothing: the tensors that they join or part lie one after the other in the whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// The attribute of a node whose parts lie in its whole, so that it emits no task.
inline constexpr const char* kNoTaskFlag = "_no_task";

struct Parts {
  ValueId whole = kNoId;        // the output of what joins, the data input of what parts
  std::vector<ValueId> values;  // the inputs of what joins, the outputs of what parts
  std::vector<int64_t> at;      // bytes from the begin of the whole, by part
};

// The parts of a ConcatD or Pack, or of a Split, SplitD, SplitV or Unpack, where all dims before the axis are 1 in the
// storage view and, of NC1HWC0, in the channels-last slot of the device as well. Nothing for another operator, for
// unknown shapes, elements of less than a byte or of no fixed size, and an axis that is no constant.
std::optional<Parts> FindParts(const Graph& graph, const Node& node);

// The same for a node that MarkNoTask has marked; nothing for others.
std::optional<Parts> MarkedParts(const Graph& graph, const Node& node);

// Whether the node's bytes are those of its first input (Reshape and the like, and changes of view that move nothing on this
// device: device_slot.h). What only reshapes a constant copies it.
bool AliasesInput(const Graph& graph, const Node& node);

// The rules of GE's ConcatNotaskPass and of its like for Pack, Split and Unpack: marks nodes whose parts can be written
// into their whole, or read from it, and returns them. Each part has a multiple of 32 bytes. Of what joins, each part is
// written by a task of its own, once, without a nested graph and for no other whole, and is no output of the model. Of
// what parts, the whole is no constant, and no part is an output of the model. A node that the user gave a stream, or
// the attribute no_reuse_mem_flag to it or to what writes its parts, keeps its task.
struct NoTaskKinds {
  bool joins = true;
  bool parts = true;
};
// `allow` is asked before a node is marked; empty: all may be.
std::vector<NodeId> MarkNoTask(Graph& graph, NoTaskKinds kinds = {}, const std::function<bool(const Node&, bool joins)>& allow = {});

}  // namespace atc
