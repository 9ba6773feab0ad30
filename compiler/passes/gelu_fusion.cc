#include "compiler/passes/gelu_fusion.h"

#include <cmath>

#include "compiler/passes/gate_match.h"

namespace atc {
namespace {

constexpr double kCubic = 0.044715;

// x / 2 * (1 + gate)
std::optional<GateForm> Form(bool is_gate) {
  if (!is_gate) return std::nullopt;
  return GateForm{{{{1, 0}, 0.5}, {{1, 1}, 0.5}}};
}

// erf(x / sqrt(2))
std::optional<GateForm> ByErf(SubgraphMatch& match, const Node&, ValueId x, const std::optional<Polynomial>& argument) {
  const double slack = Slack(match.graph().desc(x).dtype);
  return Form(argument && Agree(*argument, OfX({{1, std::sqrt(0.5)}}), slack));
}

// tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))
std::optional<GateForm> ByTanh(SubgraphMatch& match, const Node&, ValueId x, const std::optional<Polynomial>& argument) {
  const double slack = Slack(match.graph().desc(x).dtype), factor = std::sqrt(2 / M_PI);
  return Form(argument && Agree(*argument, OfX({{1, factor}, {3, factor * kCubic}}), 3 * slack));
}

}  // namespace

bool GeluFusionPass(Graph& graph, PassContext& context) {
  constexpr std::string_view kErf[] = {"Erf"}, kTanh[] = {"Tanh"};
  const bool erf = FuseGates(graph, context, kErf, ByErf, "GeluV2");
  return FuseGates(graph, context, kTanh, ByTanh, "Gelu") || erf;
}

}  // namespace atc
