#include "compiler/passes/scale_fusion.h"

#include "compiler/passes/channel_affine.h"
#include "compiler/passes/elementwise_affine.h"

namespace atc {
namespace {

bool Fuse(Graph& graph, PassContext& context, Node& node) {
  for (uint32_t side = 0; side < AffineSides(node); ++side) {
    Node& heavy = graph.producer(node.inputs[side]);
    const std::optional<ChannelProducer> producer = FindChannelProducer(graph, heavy, node);
    const TensorDesc& output = graph.desc(node.outputs[0]);
    if (!producer || !(output.origin_shape == graph.desc(heavy.outputs[0]).origin_shape)) continue;
    if (output.dtype != graph.desc(heavy.outputs[0]).dtype) continue;
    if (IsSum(node) && !producer->has_bias) continue;  // it is then a bias of its own
    const auto affine = AffineOfElementwise(graph, node, side, producer->axis, producer->channels);
    if (!affine) continue;
    std::optional<AffineConstants> constants = WithAffine(graph, heavy, *affine);
    if (!constants || !MayGrow(context.folding, node, constants->growth)) continue;
    if (!context.journal.Allow(heavy.type().str() + " + " + node.type().str(), {&heavy, &node})) continue;
    EnterGrowth(context.folding, constants->growth);
    heavy.origin = graph.origins().Union(heavy.origin, node.origin);
    TakeAffine(graph, heavy, std::move(*constants));
    heavy.Because("fusion", "ConvScaleFusionPass: took in " + node.name);
    context.journal.Made(heavy);
    graph.ReplaceUses(node.outputs[0], heavy.outputs[0]);
    graph.Remove(node.id);
    return true;
  }
  return false;
}

}  // namespace

bool ConvScaleFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && IsAffineOperator(node)) changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
