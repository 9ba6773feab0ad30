// A graph pass at each stage. The first replaces the node `sum` (Add) by Sub; the others put an Abs before the output.
// Registered through the entry function.
#include "test/plugins/passes/passes.h"

using namespace ge;

namespace {

GNode kept;  // outlives its node: every call on it must fail, in later passes too

Status Replace(GraphPtr& graph, CustomPassContext& context) {
  GNodePtr sum = graph->FindNodeByName("sum");
  if (!sum) return 1;
  AscendString type;
  if (sum->GetType(type) != GRAPH_SUCCESS || type != "Add") return 2;
  if (graph->AddNodeByOp(Operator("x", "NoSuchOperator")).GetOutputsSize() != 0) return 3;
  GNode difference = graph->AddNodeByOp(Operator("difference", "Sub").SetAttr("note", "made by a pass"));
  if (difference.GetInputsSize() != 2 || difference.GetOutputsSize() != 1) return 4;
  std::string note;
  if (difference.GetAttr("note", note) != GRAPH_SUCCESS || note != "made by a pass") return 5;
  for (int32_t i = 0; i < 2; ++i) {
    auto [source, port] = sum->GetInDataNodesAndPortIndexs(i);
    if (graph->AddDataEdge(*source, port, difference, i) != GRAPH_SUCCESS) return 6;
    if (graph->AddDataEdge(*source, port, difference, i) == GRAPH_SUCCESS) return 7;  // connected already
    if (graph->AddDataEdge(*source, port, difference, 5) == GRAPH_SUCCESS) return 8;
  }
  TensorDesc result;
  if (sum->GetOutputDesc(0, result) != GRAPH_SUCCESS) return 14;
  if (result.GetDataType() != DT_FLOAT) return 24;  // GE's word for what inference has yet to find out
  for (auto& [user, port] : sum->GetOutDataNodesAndPortIndexs(0)) {
    if (graph->RemoveEdge(*sum, 0, *user, port) != GRAPH_SUCCESS) return 9;
    if (graph->RemoveEdge(*sum, 0, *user, port) == GRAPH_SUCCESS) return 10;
    TensorDesc open;  // a port keeps its description without an edge, and may be given another
    if (user->GetInputDesc(port, open) != GRAPH_SUCCESS || open.GetDataType() != result.GetDataType()) return 15;
    if (open.GetShape().GetDims() != result.GetShape().GetDims()) return 16;
    open.SetDataType(DT_INT8);
    if (user->UpdateInputDesc(port, open) != GRAPH_SUCCESS || user->GetInputDesc(port, open) != GRAPH_SUCCESS) return 17;
    if (open.GetDataType() != DT_INT8) return 18;
    if (graph->AddDataEdge(difference, 0, *user, port) != GRAPH_SUCCESS) return 11;
  }
  kept = *sum;
  TensorDesc of_port;
  GNode lonely = graph->AddNodeByOp(Operator("lonely", "Sub"));  // nothing is connected to it yet
  if (lonely.GetInputDesc(1, of_port) != GRAPH_SUCCESS || lonely.GetInputDesc(2, of_port) == GRAPH_SUCCESS) return 19;
  GNode above = graph->AddNodeByOp(Operator("above", "Abs"));
  if (above.UpdateOutputDesc(0, TensorDesc(Shape({5}), FORMAT_ND, DT_INT32)) != GRAPH_SUCCESS) return 20;
  if (graph->AddDataEdge(above, 0, lonely, 0) != GRAPH_SUCCESS || graph->RemoveNode(above) != GRAPH_SUCCESS) return 21;
  if (lonely.GetInputDesc(0, of_port) != GRAPH_SUCCESS || of_port.GetDataType() != DT_INT32) return 22;
  if (graph->RemoveNode(lonely) != GRAPH_SUCCESS) return 23;
  if (graph->RemoveNode(*sum) != GRAPH_SUCCESS || graph->RemoveNode(*sum) == GRAPH_SUCCESS) return 12;
  return kept.GetName(type) == GRAPH_SUCCESS ? 13 : SUCCESS;
}

Status AddAbs(GraphPtr& graph, CustomPassContext& context) {
  AscendString gone;
  if (kept.GetName(gone) == GRAPH_SUCCESS) return 1;
  GNodePtr output = graph->FindNodeByName("Node_Output");
  if (!output) return 2;
  auto [source, port] = output->GetInDataNodesAndPortIndexs(0);
  TensorDesc desc;
  if (!source || source->GetOutputDesc(port, desc) != GRAPH_SUCCESS) return 3;
  GNode abs = graph->AddNodeByOp(Operator(context.GetPassName(), "Abs"));
  if (graph->RemoveEdge(*source, port, *output, 0) != GRAPH_SUCCESS) return 4;
  if (graph->AddDataEdge(*source, port, abs, 0) != GRAPH_SUCCESS) return 5;
  if (graph->AddDataEdge(abs, 0, *output, 0) != GRAPH_SUCCESS) return 6;
  return abs.UpdateOutputDesc(0, desc);
}

}  // namespace

extern "C" void RegisterCustomPasses(PassRegistry& registry) {
  registry.Register(PassRegistrationData("Replace").CustomPassFn(Replace));
  registry.Register(PassRegistrationData("AbsInfer").CustomPassFn(AddAbs).Stage(CustomPassStage::kAfterInferShape));
  registry.Register(PassRegistrationData("AbsFusion").CustomPassFn(AddAbs).Stage(CustomPassStage::kAfterBuiltinFusionPass));
  registry.Register(PassRegistrationData("AbsLast").CustomPassFn(AddAbs).Stage(CustomPassStage::kAfterOriginGraphOptimize));
}
