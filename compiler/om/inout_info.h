// The MODEL_INOUT_INFO partition: inputs and outputs for whoever does not want to parse the graph.
#pragma once

#include <string>

#include "compiler/om/om_model.h"

namespace atc {

// Type, length, value records: inputs in order, then outputs, in origin view. The outputs' names are those of the
// attribute attr_model_out_nodes_name where it names them all, else "node:index".
std::string InOutInfo(const OmModel& model);

}  // namespace atc
