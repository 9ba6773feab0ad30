// One faulty pass, chosen by FAULT.
#include <stdexcept>

#include "graph/operator_reg.h"
#include "test/plugins/passes/passes.h"

namespace ge {
REG_OP(Strange).INPUT(x, TensorType::ALL()).OUTPUT(y, TensorType::ALL()).OP_END_FACTORY_REG(Strange)
}  // namespace ge

using namespace ge;

namespace c10_npu {
struct Stream {
  long number(int scale) const;  // defined nowhere
};
}  // namespace c10_npu

namespace {

[[maybe_unused]] Status Fails(const ConstGraphPtr&, StreamPassContext& context) {
  context.SetErrorMessage("the weather is bad");
  return 7;
}

[[maybe_unused]] Status Throws(const ConstGraphPtr&, StreamPassContext&) { throw std::runtime_error("no more eggs"); }

[[maybe_unused]] Status MakesCycle(GraphPtr& graph, CustomPassContext&) {
  GNodePtr a = graph->FindNodeByName("a");
  GNodePtr sum = graph->FindNodeByName("sum");
  return graph->AddControlEdge(*sum, *a);
}

[[maybe_unused]] Status LosesEdge(GraphPtr& graph, CustomPassContext&) {
  GNodePtr a = graph->FindNodeByName("a");
  return graph->RemoveNode(*a);
}

[[maybe_unused]] Status DropsOutput(GraphPtr& graph, CustomPassContext&) {
  GNodePtr output = graph->FindNodeByName("Node_Output");
  return graph->RemoveNode(*output);
}

[[maybe_unused]] Status UnfeedsOutput(GraphPtr& graph, CustomPassContext&) {
  GNodePtr sum = graph->FindNodeByName("sum");
  return graph->RemoveNode(*sum);
}

[[maybe_unused]] Status LeavesType(GraphPtr& graph, CustomPassContext&) {
  GNodePtr sum = graph->FindNodeByName("sum");
  GNode strange = graph->AddNodeByOp(op::Strange("strange"));
  for (auto& [user, port] : sum->GetOutDataNodesAndPortIndexs(0)) {
    if (graph->RemoveEdge(*sum, 0, *user, port) != GRAPH_SUCCESS) return FAILED;
    if (graph->AddDataEdge(strange, 0, *user, port) != GRAPH_SUCCESS) return FAILED;
  }
  return graph->AddDataEdge(*sum, 0, strange, 0);
}

[[maybe_unused]] Status WrongStream(const ConstGraphPtr& graph, StreamPassContext& context) {
  return context.SetStreamId(*graph->FindNodeByName("b"), 99);
}

}  // namespace

#if FAULT == 1
REGISTER_CUSTOM_PASS("Fails").CustomAllocateStreamPassFn(Fails);
#elif FAULT == 2
REGISTER_CUSTOM_PASS("Throws").CustomAllocateStreamPassFn(Throws);
#elif FAULT == 3
REGISTER_CUSTOM_PASS("MakesCycle").CustomPassFn(MakesCycle);
#elif FAULT == 4
REGISTER_CUSTOM_PASS("LosesEdge").CustomPassFn(LosesEdge);
#elif FAULT == 5
REGISTER_CUSTOM_PASS("DropsOutput").CustomPassFn(DropsOutput);
#elif FAULT == 6
REGISTER_CUSTOM_PASS("NoFunction").Stage(CustomPassStage::kAfterInferShape);
#elif FAULT == 8
REGISTER_CUSTOM_PASS("LeavesType").CustomPassFn(LeavesType);
#elif FAULT == 9
REGISTER_CUSTOM_PASS("WrongStream").CustomAllocateStreamPassFn(WrongStream);
#elif FAULT == 10
REGISTER_CUSTOM_PASS("UnfeedsOutput").Stage(CustomPassStage::kAfterInferShape).CustomPassFn(UnfeedsOutput);
#elif FAULT == 7
long Undefined() { return c10_npu::Stream().number(2); }
#endif
