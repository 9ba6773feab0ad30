// A padding by a constant in front of an operator that slides a window.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ops/window.h"

namespace atc {

// Elements before and behind each axis, none of them negative, and what they hold.
struct ConstantPadding {
  std::vector<int64_t> begin, end;
  double value = 0;
};

// Of PadV3 and onnx::Pad with constant operands, in mode constant; nothing of others.
std::optional<ConstantPadding> ConstantPaddingOf(const Graph& graph, const Node& pad);

struct PaddingBefore {
  NodeId pad = kNoId;
  NodeId unsqueeze = kNoId;                        // between pad and window, where there is one
  std::vector<std::pair<int64_t, int64_t>> edges;  // of the spatial axes
  double value = 0;
};

// The padding whose result `node` reads as input `data` (of layout `channels_last` or not), also through an Unsqueeze
// that serves nothing else; nothing when it pads batch or channels too, or lies on another stream.
std::optional<PaddingBefore> FindPaddingBefore(const Graph& graph, const Node& node, uint32_t data, bool channels_last);

// Makes input `data` of `node` read what was padded; the padding goes when nothing else reads it.
void BypassPadding(Graph& graph, Node& node, uint32_t data, const PaddingBefore& padding);

// Begins and ends by turns: the padding and that of the window's own.
std::vector<int64_t> JoinedPads(const PaddingBefore& padding, const std::vector<WindowAxis>& axes);

}  // namespace atc
