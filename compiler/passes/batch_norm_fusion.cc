#include "compiler/passes/batch_norm_fusion.h"

#include "compiler/ops/data_format.h"
#include "compiler/passes/channel_affine.h"

namespace atc {
namespace {

bool Fuse(Graph& graph, PassContext& context, Node& norm) {
  Node& heavy = graph.producer(norm.inputs[0]);
  const std::optional<ChannelProducer> producer = FindChannelProducer(graph, heavy, norm);
  if (!producer) return false;
  const size_t rank = graph.desc(norm.inputs[0]).origin_shape.rank();
  const size_t axis = IsChannelsLast(norm) && rank > 2 ? rank - 1 : 1;
  const std::optional<ChannelAffine> affine = AffineOfBatchNorm(graph, norm);
  if (!affine || axis != producer->axis || affine->scale.size() != producer->channels) return false;
  std::optional<AffineConstants> constants = WithAffine(graph, heavy, *affine);
  if (!constants || !MayGrow(context.folding, norm, constants->growth)) return false;
  if (!context.journal.Allow(heavy.type().str() + " + BatchNorm", {&heavy, &norm})) return false;
  EnterGrowth(context.folding, constants->growth);
  heavy.origin = graph.origins().Union(heavy.origin, norm.origin);
  TakeAffine(graph, heavy, std::move(*constants));
  heavy.Because("fusion", "ConvBatchnormFusionPass: took in " + norm.name);
  context.journal.Made(heavy);
  graph.ReplaceUses(norm.outputs[0], heavy.outputs[0]);
  graph.Remove(norm.id);
  return true;
}

}  // namespace

bool ConvBatchnormFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "BatchNorm") changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
