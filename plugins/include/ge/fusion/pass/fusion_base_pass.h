// A pass as a class.
#pragma once

#include "ge_common/ge_api_error_codes.h"
#include "graph/graph.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {

class FusionBasePass {
 public:
  virtual ~FusionBasePass() = default;
  // Called for the root graph and for each nested one. SUCCESS, GRAPH_NOT_CHANGED, or a failure.
  virtual Status Run(GraphPtr& graph, CustomPassContext& context) = 0;
};

}  // namespace fusion
}  // namespace ge
