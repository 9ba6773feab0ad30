// Operators without converter, where ENABLE_NETWORK_ANALYSIS_DEBUG=1 asks to go on past them: they stand in the graph as
// FrameworkOp, so that the rest of the network is analysed and dumped.
#pragma once

#include "parsers/tensorflow/convert.h"

namespace atc::tf_parser {

bool GoesPastUnknown();

// A FrameworkOp with the operator's type as `original_type`, its inputs and attributes. Its results are of unknown shape,
// and of the type that the attribute T or dtype says, else of the first input's.
void ConvertUnknown(NodeContext& ctx);

}  // namespace atc::tf_parser
