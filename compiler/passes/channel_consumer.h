// Convolutions and matrix products by a constant, and what may go into their filter and bias of what comes before them: a
// factor and a summand for each input channel.
#pragma once

#include <optional>

#include "compiler/passes/channel_affine.h"

namespace atc {

struct ChannelConsumer {
  size_t channels = 0;
  size_t axis = 0;           // of the data, along which the channels lie
  bool takes_shift = false;  // a summand counts alike everywhere: nothing is padded, and no result leaves out a channel
};

// What `node` is, where `data` is what it multiplies by a constant filter, with a constant bias or none, and `before` makes
// `data` and may share its task (streams, types that the user asked for).
std::optional<ChannelConsumer> FindChannelConsumer(const Graph& graph, const Node& node, ValueId data,
                                                   const Node& before);

// filter' = filter * scale by input channel, bias' = bias + sum of filter * shift, in double and rounded once. Nothing
// where a number would leave the type of the filter, or would suffer as fp16 where it did not before: the data that the
// scale was for may be of any size, and a later stage may choose fp16.
std::optional<AffineConstants> WithAffineBefore(const Graph& graph, const Node& node, const ChannelAffine& affine);

}  // namespace atc
