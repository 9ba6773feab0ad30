// Layouts: where a node's data have their channels, and filters in the order that AscendIR's operators take here.
#pragma once

#include "parsers/tensorflow/convert.h"

namespace atc::tf_parser {

// The attribute data_format with `spatial` axes: "NHWC", "NCHW", "NDHWC" or "NCDHW"; fails on another.
std::string DataFormat(const NodeContext& ctx, size_t spatial);
inline bool ChannelsLast(const std::string& format) { return format.back() == 'C'; }

// `x` with its axes in the order of `perm`: a constant at once (deferred when large), else by a Transpose.
ValueId Permuted(NodeContext& ctx, ValueId x, const std::vector<int64_t>& perm, std::string_view suffix);
// The axes of a filter [spatial..., in, out] as [out, in, spatial...].
std::vector<int64_t> FilterPerm(size_t spatial);

// A value of one dim, the channels, in a shape that broadcasts along them: itself where they come last.
ValueId AlongChannels(NodeContext& ctx, ValueId x, const std::string& format, std::string_view suffix);

// Sets strides, dilations (under these names), pads and auto_pad from TensorFlow's strides, dilations, padding and
// explicit_paddings. All lists follow `format`.
void SetWindow(const NodeContext& ctx, Node& node, const std::string& format, const char* dilations);
// explicit_paddings as AscendIR's pads: begin and end of each spatial axis. Zeros without them.
std::vector<int64_t> ExplicitPads(const NodeContext& ctx, const std::string& format);

}  // namespace atc::tf_parser
