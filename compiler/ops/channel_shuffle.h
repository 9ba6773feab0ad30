// A fused node that permutes channels.
#pragma once

#include "compiler/ir/graph.h"

namespace atc {

// Whether the node stands for a Reshape, a Transpose and a Reshape that together only permute the channels of N, C, H, W
// (ReshapeTransposeFusionPass): its one input and its output have the same shape.
inline bool IsChannelShuffle(const Node& node) { return node.fused != nullptr && node.type() == "Transpose"; }

// Its Transpose.
inline const Node& ShuffledInside(const Node& shuffle) {
  for (NodeId id = 0; id < shuffle.fused->node_capacity(); ++id) {
    const Node& member = shuffle.fused->node(id);
    if (member.alive && member.type() == "Transpose") return member;
  }
  return shuffle;
}

}  // namespace atc
