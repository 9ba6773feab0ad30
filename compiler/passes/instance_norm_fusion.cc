#include "compiler/passes/instance_norm_fusion.h"

#include "compiler/passes/channel_operand.h"
#include "compiler/passes/norm_match.h"

namespace atc {
namespace {

bool FitsInstance(const Graph& graph, ValueId operand, ValueId x, const std::vector<int64_t>&) {
  return FitsChannels(graph, operand, x);
}

// All axes from the second one on, of which there is one at least.
bool IsInstance(const Graph& graph, ValueId x, const std::vector<int64_t>& axes) {
  const Shape& shape = graph.desc(x).origin_shape;
  return shape.rank() > 2 && shape[1] > 0 && axes.front() == 2 && axes.size() + 2 == shape.rank();
}

void Make(SubgraphMatch& match, Graph& graph, PassContext& context, ValueId x, ValueId scale, ValueId shift, ValueId leaving,
          float epsilon) {
  const ValueId gamma = ChannelOperand(match, graph, scale, x, leaving, "gamma", 1);
  const ValueId beta = ChannelOperand(match, graph, shift, x, leaving, "beta", 0);
  Node& made = match.Replace(context, "InstanceNorm", {x, gamma, beta}, leaving);
  made.attrs.Set("epsilon", epsilon);
  made.attrs.Set("data_format", "NCHW");
}

bool FuseSpelledOut(Graph& graph, PassContext& context, const Node& node) {
  SubgraphMatch match(graph, node);
  const std::optional<NormMatch> norm = MatchNorm(match, node, true, FitsInstance);
  if (!norm || !IsInstance(graph, norm->x, norm->axes) || !match.Allow(context, "InstanceNorm")) return false;
  Make(match, graph, context, norm->x, norm->scale, norm->shift, norm->leaving, norm->epsilon);
  return true;
}

bool TakeAffine(Graph& graph, PassContext& context, const Node& norm) {
  SubgraphMatch match(graph, norm);
  const auto format = norm.Attr<std::string>("data_format");
  if (format != "NCHW" && format != "NCDHW" && format != "ND") return false;
  if (!IsAll(graph, norm.inputs[1], 1) || !IsAll(graph, norm.inputs[2], 0)) return false;
  if (match.Take(norm.outputs[0], {}) == nullptr) return false;
  ValueId leaving = norm.outputs[0], scale = kNoId, shift = kNoId;
  TakeChannelAffine(match, graph, norm.inputs[0], &leaving, &scale, &shift);
  if (leaving == norm.outputs[0] || !match.IsClosed(leaving) || !match.Allow(context, "InstanceNorm")) return false;
  Make(match, graph, context, norm.inputs[0], scale, shift, leaving, norm.Attr<float>("epsilon"));
  return true;
}

}  // namespace

bool InstanceNormFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    if (IsNormCandidate(node)) changed |= FuseSpelledOut(graph, context, node);
    if (node.alive && node.type() == "InstanceNorm" && node.outputs.size() == 1) changed |= TakeAffine(graph, context, node);
  }
  return changed;
}

}  // namespace atc
