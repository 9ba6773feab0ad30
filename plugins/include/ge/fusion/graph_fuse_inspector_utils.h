// Asked and told by passes that change a graph by hand.
#pragma once

#include <vector>

#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {

class GraphFuseInspectorUtils {
 public:
  // Whether these nodes may become one: their stream labels are equal, and no path leads from one of them over other
  // nodes to another.
  static bool CanFuse(const std::vector<GNode>& nodes, AscendString& reason);
  // Notes that the first nodes have given way to the others: before they are removed. The others take their origins.
  static Status ReportFuse(const std::vector<GNode>& before, const std::vector<GNode>& after, CustomPassContext& context);
};

}  // namespace fusion
}  // namespace ge
