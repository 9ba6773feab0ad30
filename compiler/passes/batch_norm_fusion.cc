#include "compiler/passes/batch_norm_fusion.h"

#include <cmath>
#include <tuple>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"

namespace atc {
namespace {

// Which inputs of a convolution are filter and bias, and which axis of the filter counts output channels.
struct ConvPorts {
  const char* type;
  uint32_t filter;
  uint32_t bias;
  size_t channel_axis;
};

constexpr ConvPorts kConvs[] = {
    {"Conv2D", 1, 2, 0},
    {"Conv2DTranspose", 2, 3, 1},
    {"Conv3D", 1, 2, 0},
    {"Conv3DTranspose", 2, 3, 1},
};

const ConvPorts* FindConv(const Node& node) {
  for (const ConvPorts& conv : kConvs) {
    if (node.type() == conv.type) return &conv;
  }
  return nullptr;
}

// filter * s along `axis`.
Tensor ScaleFilter(const Tensor& filter, const std::vector<double>& scale, size_t axis) {
  Tensor out = Tensor::Allocate(DT_FLOAT, filter.shape());
  const int64_t inner = filter.shape().Strides()[axis];
  const auto channels = static_cast<int64_t>(scale.size());
  for (int64_t i = 0; i < filter.NumElements(); ++i) {
    out.MutableData<float>()[i] = static_cast<float>(filter.Data<float>()[i] * scale[(i / inner) % channels]);
  }
  return out;
}

bool FloatConstant(const Tensor* tensor) { return tensor != nullptr && tensor->dtype() == DT_FLOAT; }

bool Fuse(Graph& graph, PassContext& context, Node& norm) {
  if (norm.Attr<bool>("is_training")) return false;
  Node& conv = graph.producer(norm.inputs[0]);
  const ConvPorts* ports = FindConv(conv);
  if (ports == nullptr || conv.fused || graph.value(conv.outputs[0]).uses.size() != 1) return false;
  if (StreamLabelOf(conv) != StreamLabelOf(norm) || HasUserDtype(conv) || HasUserDtype(norm)) return false;
  // The output channels of a grouped transposed convolution are spread over two axes of its filter.
  if (ports->channel_axis == 1 && conv.Attr<int64_t>("groups") != 1) return false;
  for (size_t i = 1; i < norm.outputs.size(); ++i) {
    if (!graph.value(norm.outputs[i]).uses.empty()) return false;
  }
  const Tensor* filter = graph.ConstantInput(conv, ports->filter);
  const bool has_bias = conv.inputs.size() > ports->bias && conv.inputs[ports->bias] != kNoId;
  const Tensor* bias = has_bias ? graph.ConstantInput(conv, ports->bias) : nullptr;
  if (!FloatConstant(filter) || (has_bias && !FloatConstant(bias))) return false;
  std::vector<std::vector<double>> params;
  for (uint32_t i = 1; i <= 4; ++i) {
    const Tensor* param = graph.ConstantInput(norm, i);
    if (!FloatConstant(param)) return false;
    params.push_back(ToDoubles(param->Materialized()));
  }
  const auto& [gamma, beta, mean, variance] = std::tie(params[0], params[1], params[2], params[3]);
  const auto channels = static_cast<size_t>(filter->dim(ports->channel_axis));
  for (const auto& param : params) {
    if (param.size() != channels) return false;
  }
  if (!context.journal.Allow(conv.type().str() + " + BatchNorm", {&conv, &norm})) return false;

  const double epsilon = norm.Attr<float>("epsilon");
  std::vector<double> scale(channels);
  for (size_t c = 0; c < channels; ++c) scale[c] = gamma[c] / std::sqrt(variance[c] + epsilon);
  const std::vector<double> old_bias = bias ? ToDoubles(bias->Materialized()) : std::vector<double>(channels, 0.0);
  std::vector<float> new_bias(channels);
  for (size_t c = 0; c < channels; ++c) new_bias[c] = static_cast<float>((old_bias[c] - mean[c]) * scale[c] + beta[c]);

  const OriginId origin = graph.origins().Union(conv.origin, norm.origin);
  Tensor scaled = Tensor::Deferred(DT_FLOAT, filter->shape(), [source = *filter, scale, axis = ports->channel_axis] {
    return ScaleFilter(source.Materialized(), scale, axis);
  });
  graph.SetInput(conv, ports->filter, graph.AddConst(conv.name + "_filter", std::move(scaled), origin));
  while (conv.inputs.size() <= ports->bias) graph.AddInput(conv, kNoId);
  graph.SetInput(conv, ports->bias,
                 graph.AddConst(conv.name + "_bias",
                                Tensor::From<float>(DT_FLOAT, {static_cast<int64_t>(channels)}, new_bias), origin));
  conv.origin = origin;
  conv.Because("fusion", "ConvBatchnormFusionPass: took in " + norm.name);
  context.journal.Made(conv);
  graph.ReplaceUses(norm.outputs[0], conv.outputs[0]);
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
