#include "compiler/passes/swish_fusion.h"

#include "compiler/passes/gate_match.h"

namespace atc {
namespace {

std::optional<GateForm> Form(SubgraphMatch&, const Node&, ValueId, const std::optional<Polynomial>& argument) {
  if (!argument || argument->size() != 1 || argument->begin()->first != std::pair(1, 0)) return std::nullopt;
  return GateForm{{{{1, 1}, 1}}, static_cast<float>(argument->begin()->second)};
}

}  // namespace

bool SwishFusionPass(Graph& graph, PassContext& context) {
  constexpr std::string_view kGates[] = {"Sigmoid"};
  return FuseGates(graph, context, kGates, Form, "Swish", "scale");
}

}  // namespace atc
