#include "backend/kernels/fused_graph.h"

#include "compiler/ir/error.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"

namespace atc::kernels {
namespace {

// Shapes, axes and numbers; larger constants stay operands.
constexpr int64_t kSmall = 64;

}  // namespace

FusedGraph MakeFusedGraph(const KernelSpec& spec) {
  FusedGraph made;
  if (!spec.node.fused) return made;
  made.graph = spec.node.fused->Clone();
  Graph& graph = *made.graph;
  for (const NodeId id : graph.Inputs()) {
    const Node& data = graph.node(id);
    const auto index = static_cast<int>(data.attrs.Get<int64_t>("index", 0));
    const Port& port = spec.inputs[static_cast<size_t>(index)];
    const ValueId value = data.outputs[0];
    graph.desc(value) = TensorDesc(IsHalf(port.dtype) ? DT_FLOAT : port.dtype, port.shape);
    made.ports[value] = index;
    if (port.constant == nullptr || port.constant->NumElements() > kSmall) continue;
    const ValueId constant = graph.AddConst(data.name + "/value", Widen(port.constant->Materialized()));
    graph.ReplaceUses(value, constant);
    made.ports[constant] = index;
  }
  try {
    InferShapes(graph);
  } catch (const Error&) {
    made.graph.reset();  // the reference kernel will say what is wrong
  }
  return made;
}

}  // namespace atc::kernels
