// What passes ask the compiler.
#pragma once

#include <vector>

#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"

namespace ge {

class GeUtils {
 public:
  // Describes every output of the graph, its inputs having these shapes, in the order of their indices, and the types
  // that they were described with. Fails where counts or shapes do not fit.
  static Status InferShape(const Graph& graph, const std::vector<Shape>& input_shapes);
  // Whether this compiler can run the node; the reason where it cannot.
  static Status CheckNodeSupportOnAicore(const GNode& node, bool& supported, AscendString& reason);
};

}  // namespace ge
