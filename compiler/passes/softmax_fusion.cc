#include "compiler/passes/softmax_fusion.h"

#include "compiler/passes/reduction_axes.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

struct WrittenSoftmax {
  ValueId x = kNoId;
  std::vector<int64_t> axes;  // from 0, ascending
};

// e to the power of its operand, without factors.
bool IsPlainExp(const Node& node) {
  return node.Attr<float>("base") == -1 && node.Attr<float>("scale") == 1 && node.Attr<float>("shift") == 0;
}

// What x is less its maximum over `axes`; `value` itself where it is nothing of that kind.
ValueId BeforeMaximum(SubgraphMatch& match, ValueId value, const std::vector<int64_t>& axes) {
  const size_t mark = match.mark();
  const Node* sub = match.Take(value, {"Sub"});
  const Node* maximum = sub == nullptr ? nullptr : match.Take(sub->inputs[1], {"ReduceMax"});
  if (maximum != nullptr && maximum->inputs[0] == sub->inputs[0] && KeptAxes(match.graph(), *maximum) == axes) {
    return sub->inputs[0];
  }
  match.Back(mark);
  return value;
}

// `exponential` over `sum`.
std::optional<WrittenSoftmax> MatchQuotient(SubgraphMatch& match, ValueId exponential, ValueId sum) {
  const Node* exp = match.Take(exponential, {"Exp"});
  const Node* total = exp == nullptr || !IsPlainExp(*exp) ? nullptr : match.Take(sum, {"ReduceSum", "ReduceSumD"});
  if (total == nullptr || total->inputs[0] != exponential) return std::nullopt;
  const auto axes = KeptAxes(match.graph(), *total);
  if (!axes) return std::nullopt;
  return WrittenSoftmax{BeforeMaximum(match, exp->inputs[0], *axes), *axes};
}

// The two ways to divide: by the sum, or by a product with its reciprocal.
std::optional<WrittenSoftmax> Match(SubgraphMatch& match, const Node& node) {
  if (node.inputs.size() != 2 || match.Take(node.outputs[0], {"RealDiv", "onnx::Div", "Mul"}) == nullptr) return std::nullopt;
  if (!(node.type() == "Mul")) return MatchQuotient(match, node.inputs[0], node.inputs[1]);
  for (size_t side = 0; side < 2; ++side) {
    const size_t mark = match.mark();
    const Node* inverse = match.Take(node.inputs[side], {"Reciprocal"});
    const auto found = inverse == nullptr ? std::nullopt : MatchQuotient(match, node.inputs[1 - side], inverse->inputs[0]);
    if (found) return found;
    match.Back(mark);
  }
  return std::nullopt;
}

bool Fuse(Graph& graph, PassContext& context, const Node& node) {
  SubgraphMatch match(graph, node);
  const std::optional<WrittenSoftmax> found = Match(match, node);
  const ValueId leaving = node.outputs[0];
  if (!found || !match.IsClosed(leaving)) return false;
  const TensorDesc& from = graph.desc(found->x);
  const TensorDesc& to = graph.desc(leaving);
  if (!IsFloatOrHalf(to.dtype) || from.dtype != to.dtype || !(from.origin_shape == to.origin_shape)) return false;
  if (!match.Allow(context, "softmax")) return false;
  match.Replace(context, "SoftmaxV2", {found->x}, leaving).attrs.Set("axes", found->axes);
  return true;
}

}  // namespace

bool SoftmaxFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    const auto is = [&](const char* type) { return node.type() == type; };
    if (node.alive && (is("RealDiv") || is("Mul") || is("onnx::Div"))) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
