// Casts follow from differing ends of an edge; no other pass decides them.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// What every edge must carry.
struct EdgeTypes {
  // By node id the type of its float inputs; DT_UNDEFINED: it takes what comes.
  std::vector<DataType> chosen;
  // By value id what the model itself says, which nodes with nested graphs keep.
  std::vector<DataType> types;
  // The type that each input of NetOutput must have; DT_UNDEFINED: as it comes.
  std::vector<DataType> interface;
  // Inputs that a node takes in another type than the one chosen for it.
  std::map<std::pair<NodeId, uint32_t>, DataType> taken;
  // Types that an input passes through before it takes the chosen one: it is rounded, the operator computes as chosen.
  std::map<std::pair<NodeId, uint32_t>, DataType> through;
  // Values that are cast before anyone uses them.
  std::vector<std::pair<ValueId, DataType>> rounded;
  // Whether narrowed constants are clipped to the range of fp16.
  bool clip_weights = true;
};

// Inserts the Casts, one for each edge. Constants are converted instead, once for all who want the same type.
void CastEdges(Graph& graph, const EdgeTypes& edges, Journal& journal);

// `constant` in another float type. With `clip`, as --is_weight_clip=1 (atc's default) asks, finite values are clipped to
// the finite range of fp16; without, they become infinite as IEEE says. Infinities and NaN pass.
Tensor ConvertConstant(const Tensor& constant, DataType to, bool clip = true);

}  // namespace atc
