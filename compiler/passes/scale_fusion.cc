#include "compiler/passes/scale_fusion.h"

#include <algorithm>
#include <cmath>

#include "compiler/passes/channel_affine.h"

namespace atc {
namespace {

enum class Form { kProduct, kQuotient, kSum, kDifference };

struct ScaleRow {
  const char* type;
  Form form;
  bool by_attr = false;  // the constant is the attribute "value"
};

constexpr ScaleRow kRows[] = {
    {"Add", Form::kSum},  {"Adds", Form::kSum, true},        {"Mul", Form::kProduct},       {"Muls", Form::kProduct, true},
    {"Neg", Form::kProduct, true}, {"RealDiv", Form::kQuotient}, {"Sub", Form::kDifference}, {"onnx::Div", Form::kQuotient},
};

const ScaleRow* RowOf(const Node& node) {
  for (const ScaleRow& row : kRows) {
    if (node.type() == row.type && !node.fused) return &row;
  }
  return nullptr;
}

// What the node does to operand `side`, whose channels `producer` tells; nothing when that is no product or sum.
std::optional<ChannelAffine> AffineOf(const Graph& graph, const Node& node, const ScaleRow& row, uint32_t side,
                                      const ChannelProducer& producer) {
  std::vector<double> values(producer.channels, node.type() == "Neg" ? -1.0 : 0.0);
  if (!row.by_attr) {
    const auto given = PerChannel(graph.ConstantInput(node, 1 - side), graph.desc(node.outputs[0]).origin_shape, producer.axis);
    if (!given) return std::nullopt;
    values = *given;
  } else if (!(node.type() == "Neg")) {
    values.assign(producer.channels, node.Attr<float>("value"));
  }
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return std::nullopt;
  ChannelAffine affine{std::vector<double>(producer.channels, 1.0), std::vector<double>(producer.channels, 0.0)};
  switch (row.form) {
    case Form::kProduct: affine.scale = values; break;
    case Form::kQuotient:
      if (side != 0 || std::find(values.begin(), values.end(), 0.0) != values.end()) return std::nullopt;
      for (size_t c = 0; c < values.size(); ++c) affine.scale[c] = 1 / values[c];
      break;
    case Form::kSum:
      if (!producer.has_bias) return std::nullopt;  // it is then a bias of its own
      affine.shift = values;
      break;
    case Form::kDifference:
      affine.shift = values;
      for (double& value : side == 0 ? affine.shift : affine.scale) value = -value;
      break;
  }
  return affine;
}

bool Fuse(Graph& graph, PassContext& context, Node& node, const ScaleRow& row) {
  const uint32_t sides = row.by_attr ? 1 : 2;
  for (uint32_t side = 0; side < sides; ++side) {
    Node& heavy = graph.producer(node.inputs[side]);
    const std::optional<ChannelProducer> producer = FindChannelProducer(graph, heavy, node);
    const TensorDesc& output = graph.desc(node.outputs[0]);
    if (!producer || !(output.origin_shape == graph.desc(heavy.outputs[0]).origin_shape)) continue;
    if (output.dtype != graph.desc(heavy.outputs[0]).dtype) continue;
    const std::optional<ChannelAffine> affine = AffineOf(graph, node, row, side, *producer);
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
    const ScaleRow* row = node.alive ? RowOf(node) : nullptr;
    if (row != nullptr) changed |= Fuse(graph, context, node, *row);
  }
  return changed;
}

}  // namespace atc
