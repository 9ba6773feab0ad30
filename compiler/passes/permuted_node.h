// How an operator is written when its operands have their axes in another order. With y = Transpose(x, perm) (axis i of y
// is axis perm[i] of x), f(y) = Transpose(f'(x), perm'): here are f' and perm'.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

using Axes = std::vector<int64_t>;

// The orders: of what is turned back, and of one after the other (Transpose(Transpose(x, first), second)).
Axes InverseOrder(const Axes& order);
Axes ComposedOrder(const Axes& first, const Axes& second);
bool IsIdentityOrder(const Axes& order);
// The order of a Transpose; nothing when it is not constant, or the node none.
std::optional<Axes> OrderOf(const Graph& graph, const Node& node);

struct PermutedNode {
  std::vector<uint32_t> data;  // operands that turn, of the rank of the order; constants among them too
  Axes order;                  // of every result
};

// Nothing when the operator is not known to work so, or parameters that would have to change are not constant.
std::optional<PermutedNode> FindPermuted(const Graph& graph, const Node& node, const Axes& order);

// Changes what names axes (attributes, constant parameters) and turns constant operands. Operands that are not constant
// are the caller's, as are the descriptions of results.
void PermuteParameters(Graph& graph, Node& node, const PermutedNode& permuted, const Axes& order);

// `desc` of Transpose(x, order), as that of x.
TensorDesc TurnedBack(const TensorDesc& desc, const Axes& order);

}  // namespace atc
