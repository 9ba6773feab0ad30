#include "compiler/passes/dequantize_folding.h"

#include <memory>

#include "compiler/ops/evaluator.h"

namespace atc {
namespace {

// The node lives on in a graph of its own.
Tensor Dequantized(const Graph& graph, const Node& node, std::vector<Tensor> inputs) {
  std::shared_ptr<Graph> holder = graph.MakeNested("folded");
  Node& copy = holder->Add(*node.def, node.name, std::vector<ValueId>(node.inputs.size(), kNoId), 1);
  copy.attrs = node.attrs;
  const TensorDesc& desc = graph.desc(node.outputs[0]);
  return Tensor::Deferred(desc.dtype, desc.origin_shape, [holder, inputs = std::move(inputs), &copy] {
    std::vector<Tensor> arguments;
    for (const Tensor& tensor : inputs) arguments.push_back(tensor.defined() ? tensor.Materialized() : tensor);
    return RunReferenceKernel(copy, std::move(arguments))[0];
  });
}

bool Fold(Graph& graph, PassContext& context, Node& node) {
  std::vector<Tensor> inputs;
  for (const ValueId value : node.inputs) {
    const Tensor* constant = graph.Constant(value);
    if (value != kNoId && constant == nullptr) return false;
    inputs.push_back(constant ? *constant : Tensor());
  }
  const TensorDesc& desc = graph.desc(node.outputs[0]);
  if (!desc.origin_shape.IsKnown()) return false;
  int64_t freed = 0;
  for (const ValueId value : node.inputs) freed += value == kNoId ? 0 : FreedBytes(graph, node, value);
  Tensor result = Dequantized(graph, node, std::move(inputs));
  const int64_t stored = MadeBytes(result, freed, true);
  if (!MayGrow(context.folding, node, stored - freed)) return false;
  if (!context.journal.Allow("DequantizeLinear of constants", {&node})) return false;
  EnterGrowth(context.folding, stored - freed);
  const ValueId constant = graph.AddConst(node.name + "_folded", std::move(result), node.origin);
  NoteMadeBytes(graph, constant, stored);
  graph.producer(constant).attrs.Set("_is_from_constant_folding", AttrValue(true));
  context.journal.Made(graph.producer(constant));
  graph.ReplaceUses(node.outputs[0], constant);
  graph.Remove(node.id);
  return true;
}

}  // namespace

bool FoldDequantizePass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "onnx::DequantizeLinear" && node.control_in.empty() && node.control_out.empty()) {
      changed |= Fold(graph, context, node);
    }
  }
  return changed;
}

}  // namespace atc
