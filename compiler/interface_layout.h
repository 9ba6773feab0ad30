// Inputs and outputs in the types and layout of the NPU: --input_fp16_nodes, --is_input_adjust_hw_layout and
// --is_output_adjust_hw_layout.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/options.h"

namespace atc {

// Of a Data: the format in which its bytes lie, where that is none of the framework's. Of NetOutput: one for each output,
// FORMAT_UNDEFINED where there is nothing to say.
inline constexpr char kInterfaceFormatAttr[] = "_interface_format";

// For a graph as parsed, which still has the nodes that passes take away. Throws Error for the names of --input_fp16_nodes,
// all of a kind at once: E10016 (no node of that name), E10017 (one that is no input).
void CheckInterface(const Graph& graph, const CompileOptions& options);

// For an inferred graph that CheckInterface has seen. An input that --input_fp16_nodes names becomes fp16; with the layout adjusted it is fp16 of the
// shape [N, C1, H, W, 16] (C1 blocks of 16 channels, the last one filled up with anything), and what turns it into the
// NCHW of the model stands behind it. An output with the layout adjusted is fp16 of that shape, filled up with zeros; its
// entry in `output_types` is cleared. Returns whether the graph changed; then it must be inferred anew.
// Throws Error: E10001 (another type than float, or another rank than 4), E10055 (a layout adjusted where shapes are
// open).
bool AdjustInterface(Graph& graph, const CompileOptions& options, std::vector<DataType>* output_types);

// For a graph whose formats are chosen: says of inputs and outputs what kInterfaceFormatAttr says. Their bytes are as the
// shape says, so the storage view stays ND.
void SetInterfaceFormats(Graph& graph);

}  // namespace atc
