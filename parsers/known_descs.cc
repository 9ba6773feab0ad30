#include "parsers/known_descs.h"

#include "compiler/ir/error.h"

namespace atc {

const TensorDesc* KnownDescs::Find(ValueId value) const {
  const auto it = descs_.find(value);
  return it == descs_.end() ? nullptr : &it->second;
}

const PartialInts* KnownDescs::FindInts(ValueId value) const {
  const auto it = ints_.find(value);
  return it == ints_.end() ? nullptr : &it->second;
}

const TensorDesc* KnownDescs::DescOf(const Graph& graph, ValueId value) const {
  return graph.desc(value).dtype != DT_UNDEFINED ? &graph.desc(value) : Find(value);
}

void KnownDescs::Declare(ValueId value, const TensorDesc& desc) {
  if (desc.dtype != DT_UNDEFINED) descs_.emplace(value, desc);
}

void KnownDescs::Learn(const Graph& graph) {
  for (; next_ < graph.node_capacity(); ++next_) {
    const Node& node = graph.node(next_);
    if (node.alive && !node.Is(kSource) && node.def->infer != nullptr && node.subgraphs.empty()) Infer(graph, node);
  }
}

void KnownDescs::Infer(const Graph& graph, const Node& node) {
  std::vector<TensorDesc> inputs;
  std::vector<InferContext::Known> known;
  for (const ValueId value : node.inputs) {
    const TensorDesc* desc = value == kNoId ? nullptr : DescOf(graph, value);
    if (value != kNoId && desc == nullptr) return;
    inputs.push_back(desc ? *desc : TensorDesc());
    known.emplace_back();
    if (value == kNoId) continue;
    const Tensor* constant = graph.Constant(value);
    if (constant && !constant->deferred()) known.back().constant = constant;
    const auto ints = ints_.find(value);
    if (ints != ints_.end()) known.back().partial = &ints->second;
  }
  InferContext context(node, std::move(inputs), std::move(known));
  try {
    node.def->infer(context);
  } catch (const Error&) {
    return;
  }
  const std::vector<TensorDesc> outputs = context.TakeOutputs();
  std::vector<std::optional<PartialInts>> ints = context.TakeInts();
  for (size_t i = 0; i < outputs.size(); ++i) {
    Declare(node.outputs[i], outputs[i]);
    if (ints[i]) ints_.emplace(node.outputs[i], std::move(*ints[i]));
  }
}

}  // namespace atc
