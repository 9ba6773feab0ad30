// Shape inference for operators that a pass describes.
#pragma once

#include "compiler/ir/graph.h"

namespace ge {

// Describes the node's outputs from the descs of its inputs. False where the type has no inference, or the shapes do not
// fit.
bool InferAlone(atc::Graph& graph, atc::Node& node);

}  // namespace ge
