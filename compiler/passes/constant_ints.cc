#include "compiler/passes/constant_ints.h"

namespace atc {

std::optional<std::vector<int64_t>> ConstantInts(const Graph& graph, const Node& node, uint32_t input) {
  const Tensor* tensor = graph.ConstantInput(node, input);
  if (tensor == nullptr || !IsInteger(tensor->dtype())) return std::nullopt;
  return ToInts(tensor->Materialized());
}

}  // namespace atc
