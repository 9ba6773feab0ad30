// The formats in which an NPU would hold constants.
#pragma once

#include "compiler/layout/format_rules.h"

namespace atc {

// Says of a node that took the format which it wants how an NPU would hold its constants (kPreparedFormats of
// device_slot.h), and of a filter what its dims are: FRACTAL_Z for filters of two dims, FRACTAL_Z_3D of three,
// FRACTAL_Z_C04 for data of NC1HWC0_C04, FRACTAL_NZ for factors of products. Bytes and sizes of constants stay what they
// are; the desc of the node's input shows format and shape, as the om and the dumps print them.
void PrepareConstants(Graph& graph, Node& node, const Wish& wish);

}  // namespace atc
