// Two stream passes in one library: the second sees what the first did.
#include "test/plugins/passes/passes.h"

using namespace ge;

namespace {

Status MoveB(const ConstGraphPtr& graph, StreamPassContext& context) {
  if (graph->GetName() != "g") return FAILED;
  AscendString soc;
  if (context.GetOptionValue("ge.socVersion", soc) != GRAPH_SUCCESS || soc != "Ascend910B3") return FAILED;
  if (context.GetOptionValue("ge.noSuchOption", soc) == GRAPH_SUCCESS) return FAILED;
  if (context.GetPassName() != "MoveB") return FAILED;
  for (const auto& node : graph->GetAllNodes()) {
    if (NameOf(node) == "b") return context.SetStreamId(node, context.AllocateNextStreamId());
  }
  return FAILED;
}

// Everything that must fail does; anything else is an error of its own number.
Status KeepRules(const ConstGraphPtr& graph, StreamPassContext& context) {
  GNodePtr b = graph->FindNodeByName("b");
  GNodePtr data = graph->FindNodeByName("x");
  if (!b || !data || graph->FindNodeByName("no such node")) return 1;
  if (context.GetStreamId(*b) != context.GetCurrMaxStreamId()) return 2;
  if (context.SetStreamId(*b, -1) == GRAPH_SUCCESS) return 3;
  if (context.SetStreamId(*b, context.GetCurrMaxStreamId() + 1) == GRAPH_SUCCESS) return 4;
  if (context.GetStreamId(*data) != INVALID_STREAM_ID) return 5;
  if (context.SetStreamId(*data, 0) != GRAPH_SUCCESS || context.GetStreamId(*data) != INVALID_STREAM_ID) return 6;
  int64_t number = 1;
  if (b->SetAttr("mine", number) == GRAPH_SUCCESS) return 7;  // the graph is read-only
  TensorDesc desc;
  if (b->GetOutputDesc(0, desc) != GRAPH_SUCCESS || b->UpdateOutputDesc(0, desc) == GRAPH_SUCCESS) return 8;
  Graph& mutable_graph = const_cast<Graph&>(*graph);
  if (mutable_graph.RemoveNode(*b) == GRAPH_SUCCESS || mutable_graph.AddControlEdge(*data, *b) == GRAPH_SUCCESS) return 9;
  const auto source = b->GetInDataNodesAndPortIndexs(0);
  if (!source.first || source.second != 0) return 10;
  if (b->GetInDataNodesAndPortIndexs(7).first || b->GetInDataNodesAndPortIndexs(-1).first) return 11;
  if (GNode().GetInputsSize() != 0) return 12;
  return SUCCESS;
}

}  // namespace

REGISTER_CUSTOM_PASS("MoveB").CustomAllocateStreamPassFn(MoveB).Stage(CustomPassStage::kAfterAssignLogicStream);
REGISTER_CUSTOM_PASS("KeepRules").CustomAllocateStreamPassFn(KeepRules);
