// Storage formats where the NPU would use them, and the TransData that follow.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"

namespace atc {

// The attribute of a node that fixes the format of its outputs: "NC1HWC0", or a plain one ("NCHW", "ND") to keep the
// origin layout.
inline constexpr char kStorageFormatAttr[] = "_storage_format";

struct FormatOptions {
  // A convolution of at most four channels whose data are not blocked yet takes NC1HWC0_C04 ([N,1,H,W,4]), which holds a
  // quarter of the padding.
  bool small_channels = false;
  // The cube unit of the chip takes FRACTAL_NZ alone, so matrix products want it (soc.h).
  bool fractal_products = false;
};

// Gives operators the formats that they want (format_rules.h): convolutions, poolings and normalisations NC1HWC0 over four
// dims and NDC1HWC0 over five, matrix products FRACTAL_NZ where the chip needs it; and their constants
// (prepared_formats.h). The formats spread forward through layout-agnostic operators and through those that move
// elements, as long as channels fill their blocks. A TransData stands on every edge whose ends differ: passes merge,
// cancel and move them then (TransOpBreadthFusion, TransOpSymmetryElimination, SwitchTransDataAndCast and more).
// Operands that are broadcast keep the origin layout. Each choice leaves a Reason "format", and so does what keeps the
// origin layout although its data come in another. Of the dims only the channels must be known. A format that
// kStorageFormatAttr asks for wins; Error E14001 naming the node where its shape or type does not allow it.
void ChooseFormats(Graph& graph, Journal& journal, const FormatOptions& options = {});

}  // namespace atc
