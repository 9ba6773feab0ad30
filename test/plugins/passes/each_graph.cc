// A stream pass that gives "side" nodes a stream in whichever graph it is handed, and looks at how graphs hang together.
#include "test/plugins/passes/passes.h"

using namespace ge;

namespace {

std::string TypeOf(const GNode& node) {
  AscendString type;
  node.GetType(type);
  return type.GetString();
}

Status MoveSides(const ConstGraphPtr& graph, StreamPassContext& context) {
  AscendString name;
  if (graph->GetName(name) != GRAPH_SUCCESS) return 1;
  const bool part = std::string(name.GetString()).find("_know") != std::string::npos;
  const GNodePtr owner = graph->GetParentNode();
  if (part != (owner != nullptr) || part != (graph->GetParentGraph() != nullptr)) return 2;
  if (part && TypeOf(*owner) != "PartitionedCall") return 3;
  if (part && context.SetStreamId(*owner, 0) == GRAPH_SUCCESS) return 4;  // no node of this graph
  int parts = 0;
  for (const GNode& node : graph->GetDirectNode()) {
    if (TypeOf(node) == "PartitionedCall") {
      GraphPtr inside;
      if (node.GetSubgraph(0, inside) != GRAPH_SUCCESS || inside->GetDirectNode().empty()) return 5;
      if (context.SetStreamId(inside->GetDirectNode().back(), 0) == GRAPH_SUCCESS) return 6;
      ++parts;
    }
    if (NameOf(node).find("side") == std::string::npos) continue;
    if (context.SetStreamId(node, context.AllocateNextStreamId()) != GRAPH_SUCCESS) return 7;
  }
  return parts == (part ? 0 : 2) ? SUCCESS : 8;
}

}  // namespace

REGISTER_CUSTOM_PASS("MoveSides").CustomAllocateStreamPassFn(MoveSides);
