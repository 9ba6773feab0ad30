// Scales and shifts for each channel (axis 1) of a normalisation, in the form of constants that are broadcast.
#pragma once

#include "compiler/passes/subgraph_match.h"

namespace atc {

// Whether `operand` is a float constant that has one element for each of the channels of the value `x`, or one for all.
bool FitsChannels(const Graph& graph, ValueId operand, ValueId x);

// Takes in a Mul by such a constant and an Add of one that follow `leaving`, which moves on to the last of them.
void TakeChannelAffine(SubgraphMatch& match, const Graph& graph, ValueId x, ValueId* leaving, ValueId* scale, ValueId* shift);

// The constant, or `fallback` where it is kNoId, as one element a channel.
ValueId ChannelOperand(SubgraphMatch& match, const Graph& graph, ValueId operand, ValueId x, ValueId leaving, const char* what,
                       float fallback);

// Whether a constant is `value` everywhere.
bool IsAll(const Graph& graph, ValueId constant, double value);

}  // namespace atc
