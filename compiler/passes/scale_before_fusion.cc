#include "compiler/passes/scale_before_fusion.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "compiler/ops/data_format.h"
#include "compiler/passes/channel_consumer.h"
#include "compiler/passes/elementwise_affine.h"

namespace atc {
namespace {

bool IsNorm(const Node& node) { return node.type() == "BatchNorm"; }

// What the node does to its input `side`, where channels lie along `axis`.
std::optional<ChannelAffine> AffineOf(const Graph& graph, const Node& node, uint32_t side,
                                      const ChannelConsumer& consumer) {
  if (!IsNorm(node)) return AffineOfElementwise(graph, node, side, consumer.axis, consumer.channels);
  const size_t rank = graph.desc(node.inputs[0]).origin_shape.rank();
  const size_t axis = IsChannelsLast(node) && rank > 2 ? rank - 1 : 1;
  const std::optional<ChannelAffine> affine = AffineOfBatchNorm(graph, node);
  return affine && axis == consumer.axis && affine->scale.size() == consumer.channels ? affine : std::nullopt;
}

bool FuseSide(Graph& graph, PassContext& context, Node& node, uint32_t side) {
  const ValueId x = node.inputs[side], result = node.outputs[0];
  const TensorDesc& desc = graph.desc(result);
  if (graph.desc(x).dtype != desc.dtype || !(graph.desc(x).origin_shape == desc.origin_shape)) return false;
  std::vector<std::pair<NodeId, AffineConstants>> users;
  std::vector<const Node*> before{&node};
  int64_t growth = 0;
  for (const Use& use : graph.value(result).uses) {
    Node& user = graph.node(use.node);
    const std::optional<ChannelConsumer> consumer = FindChannelConsumer(graph, user, result, node);
    const auto affine = consumer ? AffineOf(graph, node, side, *consumer) : std::nullopt;
    if (!affine) return false;
    const bool shifts =
        std::any_of(affine->shift.begin(), affine->shift.end(), [](double shift) { return shift != 0; });
    if (shifts && !consumer->takes_shift) return false;
    std::optional<AffineConstants> constants = WithAffineBefore(graph, user, *affine);
    if (!constants) return false;
    growth += constants->growth;
    before.push_back(&user);
    users.emplace_back(user.id, std::move(*constants));
  }
  if (users.empty() || !MayGrow(context.folding, node, growth)) return false;
  if (!context.journal.Allow(node.type().str() + " + " + before[1]->type().str(), before)) return false;
  EnterGrowth(context.folding, growth);
  for (auto& [id, constants] : users) {
    Node& user = graph.node(id);
    user.origin = graph.origins().Union(node.origin, user.origin);
    TakeAffine(graph, user, std::move(constants));
    user.Because("fusion", "ScaleConvFusionPass: took in " + node.name);
    context.journal.Made(user);
  }
  graph.ReplaceUses(result, x);
  graph.Remove(node.id);
  return true;
}

bool Fuse(Graph& graph, PassContext& context, Node& node) {
  if (!node.control_in.empty() || !node.control_out.empty()) return false;
  for (uint32_t side = 0; side < (IsNorm(node) ? 1 : AffineSides(node)); ++side) {
    if (FuseSide(graph, context, node, side)) return true;
  }
  return false;
}

}  // namespace

bool ScaleConvFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && (IsNorm(node) || IsAffineOperator(node))) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
