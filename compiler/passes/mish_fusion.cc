#include "compiler/passes/mish_fusion.h"

#include "compiler/passes/gate_match.h"

namespace atc {
namespace {

// Of the natural base, without scale and shift.
bool IsPlain(const Node& node) {
  return node.Attr<float>("base") == -1 && node.Attr<float>("scale") == 1 && node.Attr<float>("shift") == 0;
}

// log(1 + exp(x))
bool IsSoftplus(SubgraphMatch& match, ValueId value, ValueId x) {
  if (const Node* softplus = match.Take(value, {"Softplus"})) return softplus->inputs[0] == x;
  const Node* log = match.Take(value, {"Log", "Log1p"});
  if (log == nullptr) return false;
  ValueId power = log->inputs[0];
  if (log->type() == "Log") {
    if (!IsPlain(*log)) return false;
    const Node* add = match.Take(power, {"Add"});
    if (add == nullptr) return false;
    const size_t side = ScalarOf(match.graph(), add->inputs[0]) == 1.0 ? 1 : 0;
    if (ScalarOf(match.graph(), add->inputs[1 - side]) != 1.0) return false;
    power = add->inputs[side];
  }
  const Node* exp = match.Take(power, {"Exp"});
  return exp != nullptr && IsPlain(*exp) && exp->inputs[0] == x;
}

std::optional<GateForm> Form(SubgraphMatch& match, const Node& gate, ValueId x, const std::optional<Polynomial>&) {
  if (!IsSoftplus(match, gate.inputs[0], x)) return std::nullopt;
  return GateForm{{{{1, 1}, 1}}};
}

}  // namespace

bool MishFusionPass(Graph& graph, PassContext& context) {
  constexpr std::string_view kGates[] = {"Tanh"};
  return FuseGates(graph, context, kGates, Form, "Mish");
}

}  // namespace atc
