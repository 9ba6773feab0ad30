#include "compiler/passes/pad_conv_fusion.h"

#include "compiler/ops/conv_spec.h"
#include "compiler/ops/data_format.h"
#include "compiler/passes/padding_before.h"

namespace atc {
namespace {

// Whether the numbers of the window are known although sizes may not be.
bool HasExplicitPads(const Node& node) {
  const std::string mode = node.Attr<std::string>("auto_pad");
  return mode == "NOTSET" || mode == "VALID" || mode.empty();
}

bool Fuse(Graph& graph, PassContext& context, Node& conv) {
  const std::optional<PaddingBefore> padding = FindPaddingBefore(graph, conv, 0, IsChannelsLast(conv));
  if (!padding || padding->value != 0) return false;
  const Shape& padded = graph.desc(conv.inputs[0]).origin_shape;
  const Shape& filter = graph.desc(conv.inputs[1]).origin_shape;
  if (!padded.HasRank() || !filter.HasRank() || !(padded.IsKnown() || HasExplicitPads(conv))) return false;
  const ConvOutput fit = FitConv(conv, padded, filter);
  if (!fit.fault.empty() || fit.sizes.axes.size() != padding->edges.size()) return false;
  const Node& pad = graph.node(padding->pad);
  if (!context.journal.Allow("Pad + " + conv.type().str(), {&pad, &conv})) return false;
  conv.Because("fusion", "PaddConv2dFusionPass: took in " + pad.name);
  conv.attrs.Set("pads", AttrValue(JoinedPads(*padding, fit.sizes.axes)));
  conv.attrs.Erase("auto_pad");
  BypassPadding(graph, conv, 0, *padding);
  context.journal.Made(conv);
  return true;
}

}  // namespace

bool PaddConv2dFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (!node.alive || node.fused || !(node.type() == "Conv2D" || node.type() == "Conv3D")) continue;
    changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
