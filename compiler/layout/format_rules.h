// Which storage formats operators want, take and refuse on an NPU.
#pragma once

#include <string>

#include "compiler/ir/form.h"
#include "compiler/ir/graph.h"

namespace atc {

// What an operator wants by itself.
struct Wish {
  Form form;                // of its data and its result
  uint32_t data = 0;        // index of the data among the node's inputs
  uint32_t filter = kNoId;  // index of what is multiplied with them; kNoId: there is none
};

// What convolutions, poolings, normalisations and (with `fractal_products`: on chips whose cube unit takes nothing else)
// matrix products want; plain for any other operator, and where shapes or types do not allow it.
Wish WishOf(const Graph& graph, const Node& node, bool fractal_products);

// Why an operator that moves elements cannot do so on data in NC1HWC0, though it can on others: channels that it joins,
// splits or cuts must fill blocks. Empty: it can. `data` is the number of its inputs that are data, from input `first` on;
// 0 for operators that have no form with blocked channels at all.
struct MoveRule {
  size_t data = 0;
  std::string refusal;
  size_t first = 0;

  bool IsData(size_t input) const { return input >= first && input < first + data; }
};
MoveRule RuleOfMove(const Graph& graph, const Node& node, Format plain);

// Where input `inner` of the operator that a fused node keeps its type of enters the node; itself when not fused. Its
// data may be dequantised first.
uint32_t OuterInput(const Node& node, uint32_t inner);

}  // namespace atc
