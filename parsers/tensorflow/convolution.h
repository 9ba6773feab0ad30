// Convolutions without what may be fused behind them.
#pragma once

#include "parsers/tensorflow/convert.h"

namespace atc::tf_parser {

// The convolution of inputs 0 and 1 of the node, with `spatial` axes (2 or 3).
Node& EmitConv(NodeContext& ctx, size_t spatial, std::string_view suffix);
// One group a channel.
Node& EmitDepthwiseConv(NodeContext& ctx, std::string_view suffix);

}  // namespace atc::tf_parser
