#include "plugins/sdk/infer_alone.h"

#include "compiler/ir/error.h"
#include "compiler/ops/inference.h"

namespace ge {

bool InferAlone(atc::Graph& graph, atc::Node& node) {
  if (node.def->infer == nullptr && !node.fused) return false;
  try {
    atc::InferNode(graph, node);
  } catch (const atc::Error&) {
    return false;
  }
  return true;
}

}  // namespace ge
