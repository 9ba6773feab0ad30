#include "compiler/passes/hard_swish_fusion.h"

#include "compiler/passes/gate_match.h"

namespace atc {
namespace {

// The gate is `top` times what a HardSwish multiplies x by.
std::optional<GateForm> Form(SubgraphMatch& match, const Node& gate, ValueId x, const std::optional<Polynomial>& argument) {
  if (!argument) return std::nullopt;
  Polynomial line = *argument;
  double top = 1;
  if (gate.type() == "HardSigmoid") {
    for (auto& [powers, factor] : line) factor *= gate.Attr<float>("alpha");
    line[{0, 0}] += gate.Attr<float>("beta");
  } else if (gate.type() == "Relu6") {
    top = 6;
  } else {
    const std::optional<double> low = ScalarOf(match.graph(), gate.inputs[1]), high = ScalarOf(match.graph(), gate.inputs[2]);
    if (low != 0.0 || !high || *high <= 0) return std::nullopt;
    top = *high;
  }
  if (!Agree(line, OfX({{0, top / 2}, {1, top / 6}}), Slack(match.graph().desc(x).dtype))) return std::nullopt;
  return GateForm{{{{1, 1}, 1 / top}}};
}

}  // namespace

bool HardSwishFusionPass(Graph& graph, PassContext& context) {
  constexpr std::string_view kGates[] = {"ClipByValue", "HardSigmoid", "Relu6"};
  return FuseGates(graph, context, kGates, Form, "HardSwish");
}

}  // namespace atc
