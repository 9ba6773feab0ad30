// A pass that keeps what the graph computes, and a later one that does not: it takes the first Add for a Sub.
#include "test/plugins/passes/passes.h"

using namespace ge;

namespace {

Status PutIdentity(GraphPtr& graph, CustomPassContext&) {
  GNodePtr output = graph->FindNodeByName("Node_Output");
  if (!output) return 1;
  auto [source, port] = output->GetInDataNodesAndPortIndexs(0);
  GNode identity = graph->AddNodeByOp(Operator("kept", "Identity"));
  if (!source || graph->RemoveEdge(*source, port, *output, 0) != GRAPH_SUCCESS) return 2;
  if (graph->AddDataEdge(*source, port, identity, 0) != GRAPH_SUCCESS) return 3;
  return graph->AddDataEdge(identity, 0, *output, 0);
}

Status AddBecomesSub(GraphPtr& graph, CustomPassContext&) {
  GNodePtr sum = graph->FindNodeByName("sum");
  if (!sum) return 1;
  GNode difference = graph->AddNodeByOp(Operator("difference", "Sub"));
  for (int32_t i = 0; i < 2; ++i) {
    auto [source, port] = sum->GetInDataNodesAndPortIndexs(i);
    if (!source || graph->AddDataEdge(*source, port, difference, i) != GRAPH_SUCCESS) return 2;
  }
  TensorDesc desc;
  if (sum->GetOutputDesc(0, desc) != GRAPH_SUCCESS || difference.UpdateOutputDesc(0, desc) != GRAPH_SUCCESS) return 3;
  for (auto& [user, port] : sum->GetOutDataNodesAndPortIndexs(0)) {
    if (graph->RemoveEdge(*sum, 0, *user, port) != GRAPH_SUCCESS) return 4;
    if (graph->AddDataEdge(difference, 0, *user, port) != GRAPH_SUCCESS) return 5;
  }
  return graph->RemoveNode(*sum);
}

}  // namespace

extern "C" void RegisterCustomPasses(PassRegistry& registry) {
  registry.Register(PassRegistrationData("PutIdentity").CustomPassFn(PutIdentity));
  registry.Register(
      PassRegistrationData("AddBecomesSub").CustomPassFn(AddBecomesSub).Stage(CustomPassStage::kAfterInferShape));
}
