// Attributes of sliding windows, from ONNX's order to AscendIR's; shared by the converters of convolution and pooling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parsers/onnx/convert.h"

namespace atc::onnx_parser {

// Number of spatial axes of a convolution or pooling as far as the parser can tell it: from the ranks of x and of the
// filter (input 1, when `filter`) and from the attributes that list one entry an axis, which must agree. 0 when nothing
// tells.
size_t SpatialAxes(const NodeContext& ctx, bool filter);

// Fails when the attribute kernel_shape is there and the filter (input 1) is known to have another shape.
void CheckKernelShape(const NodeContext& ctx);

// [1, 1, ...values], ones for an empty list. Fails when the list has not `spatial` entries.
std::vector<int64_t> WithChannels(const NodeContext& ctx, std::string_view attr, size_t spatial, int64_t fallback);

// [begin, end] of each axis in turn, zeros for an absent attribute.
std::vector<int64_t> InterleavedPads(const NodeContext& ctx, size_t spatial);

// [value] without the second half of an interleaved or plain list: inserts the entries of a unit axis at spatial
// position `at`.
std::vector<int64_t> WithUnitAxis(std::vector<int64_t> list, size_t at, std::vector<int64_t> entries);

// x with a unit axis at `axis`.
ValueId Unsqueezed(NodeContext& ctx, ValueId x, int64_t axis, std::string_view suffix);

// Binds output 0 to the value without the unit axis at `axis`.
void SetSqueezed(NodeContext& ctx, ValueId value, int64_t axis);

}  // namespace atc::onnx_parser
