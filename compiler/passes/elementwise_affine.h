// Elementwise operators with a constant that multiply and add by channel.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/passes/channel_affine.h"

namespace atc {

// Whether the node is a product, quotient, sum, difference or negation.
bool IsAffineOperator(const Node& node);
// Of those that only add: no factor differs from 1.
bool IsSum(const Node& node);
// How many of its inputs may be the operand: one where the constant is an attribute.
uint32_t AffineSides(const Node& node);

// What the node does to its input `side`, by channels along `axis` of the result; nothing when that is no finite factor
// and summand. The node is an affine operator.
std::optional<ChannelAffine> AffineOfElementwise(const Graph& graph, const Node& node, uint32_t side, size_t axis,
                                                 size_t channels);

}  // namespace atc
