// Storage formats: NC1HWC0 where the NPU would use it, and the TransData that follows.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// The attribute of a node that fixes the format of its outputs: "NC1HWC0", or a plain one ("NCHW", "ND") to keep the
// origin layout.
inline constexpr char kStorageFormatAttr[] = "_storage_format";

// Channels in one block of NC1HWC0: 16 for fp16, bf16 and float, 32 for int8 and uint8.
int64_t BlockChannels(DataType dtype);
// [N,C,H,W] -> [N,ceil(C/C0),H,W,C0].
Shape BlockedShape(const Shape& nchw, DataType dtype);

// Gives convolutions, poolings and normalisations over four dims NC1HWC0 for their data, spreads it forward through
// layout-agnostic operators, and inserts a TransData on every edge whose ends differ; one TransData serves all consumers
// that want the same format. Operands that are broadcast keep ND. Filters keep the origin layout: the device prepares
// them at load. Each choice leaves a Reason "format". Of the dims only the channels must be known.
// A format that kStorageFormatAttr asks for wins; Error E14001 naming the node where its shape or type does not allow it.
// With `small_channels`, a convolution of at most four channels whose data are not blocked yet takes NC1HWC0_C04
// ([N,1,H,W,4]), which holds a quarter of the padding.
void ChooseFormats(Graph& graph, Journal& journal, bool small_channels = false);

}  // namespace atc
