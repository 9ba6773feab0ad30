#include "compiler/passes/channel_affine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/growth.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

enum class Kind { kConv, kTransposedConv, kProduct };

struct Ports {
  const char* type;
  uint32_t filter;
  uint32_t bias;
  Kind kind;
  const char* transposed = nullptr;  // the flag of a product's second operand
};

constexpr Ports kPorts[] = {
    {"BatchMatMulV2", 1, 2, Kind::kProduct, "adj_x2"}, {"Conv2D", 1, 2, Kind::kConv},
    {"Conv2DTranspose", 2, 3, Kind::kTransposedConv},  {"Conv3D", 1, 2, Kind::kConv},
    {"Conv3DTranspose", 2, 3, Kind::kTransposedConv},  {"MatMulV2", 1, 2, Kind::kProduct, "transpose_x2"},
};

const Ports* FindPorts(const Node& node) {
  for (const Ports& row : kPorts) {
    if (node.type() == row.type) return &row;
  }
  return nullptr;
}

bool HasBias(const Node& node, const Ports& ports) {
  return node.inputs.size() > ports.bias && node.inputs[ports.bias] != kNoId;
}

// Which output channel an element of the filter belongs to: (i / inner) % dim along one axis, of which a grouped
// transposed convolution has one run for each group of its input channels.
struct ChannelOf {
  int64_t inner = 1, dim = 1;
  int64_t run = 0;  // elements of one group; 0: there are no groups

  size_t operator()(int64_t i) const { return static_cast<size_t>((i / inner) % dim + (run == 0 ? 0 : i / run * dim)); }
};

size_t ChannelAxis(const Node& node, const Ports& ports, const Shape& filter) {
  if (ports.kind == Kind::kConv) return 0;
  if (ports.kind == Kind::kTransposedConv) return 1;
  return filter.rank() - (node.Attr<bool>(ports.transposed) ? 2 : 1);
}

int64_t GroupsOf(const Node& node, const Ports& ports) {
  return ports.kind == Kind::kTransposedConv ? std::max<int64_t>(1, node.Attr<int64_t>("groups")) : 1;
}

ChannelOf ChannelsOf(const Node& node, const Ports& ports, const Shape& filter) {
  const size_t axis = ChannelAxis(node, ports, filter);
  ChannelOf channels{filter.Strides()[axis], filter[axis], 0};
  const int64_t groups = GroupsOf(node, ports);
  if (groups > 1) channels.run = filter.NumElements() / groups;
  return channels;
}

// Each product is taken in double and rounded once to float. Elements of one channel lie in runs of `inner`. What a
// deferred filter has just made for this call alone is written over: fresh memory costs more than the products.
Tensor Scaled(const Tensor& filter, const std::vector<double>& scale, const ChannelOf& channel) {
  const Tensor wide = Widen(filter.Materialized());
  const bool alone = filter.deferred() && wide.buffer().owner.use_count() == 1;
  Tensor out = alone ? wide : Tensor::Allocate(DT_FLOAT, filter.shape());
  const float* from = wide.Data<float>();
  auto* to = out.MutableData<float>();
  const int64_t count = filter.NumElements();
  for (int64_t begin = 0; begin < count; begin += channel.inner) {
    const double by = scale[channel(begin)];
    for (int64_t i = begin; i < begin + channel.inner; ++i)
      to[i] = static_cast<float>(static_cast<double>(from[i]) * by);
  }
  return Narrow(out, filter.dtype());
}

}  // namespace

bool IsFinite(const Tensor& tensor) {
  const std::vector<double> values = ToDoubles(tensor);
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::optional<ChannelProducer> FindChannelProducer(const Graph& graph, const Node& node, const Node& user) {
  const Ports* ports = FindPorts(node);
  if (ports == nullptr || node.fused || node.outputs.size() != 1) return std::nullopt;
  if (graph.value(node.outputs[0]).uses.size() != 1 || StreamLabelOf(node) != StreamLabelOf(user)) return std::nullopt;
  if (HasUserDtype(node) || HasUserDtype(user)) return std::nullopt;
  const Tensor* filter = graph.ConstantInput(node, ports->filter);
  const TensorDesc& output = graph.desc(node.outputs[0]);
  if (filter == nullptr || !IsFloatOrHalf(filter->dtype()) || filter->rank() < 2) return std::nullopt;
  if (output.dtype != filter->dtype() || !output.origin_shape.HasRank() || output.origin_shape.rank() < 2)
    return std::nullopt;
  if (HasBias(node, *ports)) {
    const Tensor* bias = graph.ConstantInput(node, ports->bias);
    if (bias == nullptr || !IsFloatOrHalf(bias->dtype())) return std::nullopt;
  }
  ChannelProducer found;
  found.channels =
      static_cast<size_t>(filter->dim(ChannelAxis(node, *ports, filter->shape())) * GroupsOf(node, *ports));
  found.has_bias = HasBias(node, *ports);
  const bool first = ports->kind != Kind::kProduct && !IsChannelsLast(node);
  found.axis = first ? 1 : output.origin_shape.rank() - 1;
  // A vector times a matrix gives a vector; then there is no such axis.
  if (output.origin_shape[found.axis] != static_cast<int64_t>(found.channels)) return std::nullopt;
  return found;
}

std::optional<AffineConstants> WithAffine(const Graph& graph, const Node& node, const ChannelAffine& affine) {
  const Ports& ports = *FindPorts(node);
  const Tensor filter = *graph.ConstantInput(node, ports.filter);
  const ChannelOf channel = ChannelsOf(node, ports, filter.shape());
  const bool scales = std::any_of(affine.scale.begin(), affine.scale.end(), [](double s) { return s != 1; });
  AffineConstants constants;
  if (scales && IsHalf(filter.dtype())) {
    constants.filter = Scaled(filter, affine.scale, channel);
    if (!IsFinite(constants.filter) && IsFinite(filter.Materialized())) return std::nullopt;
  } else if (scales) {
    constants.filter = Tensor::Deferred(filter.dtype(), filter.shape(), [filter, scale = affine.scale, channel] {
      return Scaled(filter, scale, channel);
    });
  }
  if (scales) WeighFilter(graph, node, node.inputs[ports.filter], constants);
  std::vector<double> bias(affine.scale.size(), 0.0);
  DataType bias_type = filter.dtype();
  if (HasBias(node, ports)) {
    const Tensor held = graph.ConstantInput(node, ports.bias)->Materialized();
    bias_type = held.dtype();
    bias = ToDoubles(held);
    if (bias.size() == 1) bias.assign(affine.scale.size(), bias[0]);
  }
  std::vector<float> shifted(bias.size());
  for (size_t c = 0; c < bias.size(); ++c) shifted[c] = static_cast<float>(bias[c] * affine.scale[c] + affine.shift[c]);
  const Tensor new_bias =
      Narrow(Tensor::From<float>(DT_FLOAT, {static_cast<int64_t>(shifted.size())}, shifted), bias_type);
  if (IsHalf(bias_type) && !IsFinite(new_bias)) return std::nullopt;
  const bool adds = HasBias(node, ports) || std::any_of(shifted.begin(), shifted.end(), [](float s) { return s != 0; });
  if (adds) constants.bias = new_bias;
  return constants;
}

void WeighFilter(const Graph& graph, const Node& node, ValueId filter, AffineConstants& constants) {
  const int64_t freed = FreedBytes(graph, node, filter);
  constants.stored = MadeBytes(constants.filter, freed);
  constants.growth = constants.stored - freed;
}

void TakeAffine(Graph& graph, Node& node, AffineConstants constants) {
  const Ports& ports = *FindPorts(node);
  if (constants.filter.defined()) {
    const ValueId filter = graph.AddConst(node.name + "_filter", std::move(constants.filter), node.origin);
    NoteMadeBytes(graph, filter, constants.stored);
    graph.SetInput(node, ports.filter, filter);
  }
  if (!constants.bias.defined()) return;
  while (node.inputs.size() <= ports.bias) graph.AddInput(node, kNoId);
  graph.SetInput(node, ports.bias, graph.AddConst(node.name + "_bias", std::move(constants.bias), node.origin));
}

std::optional<std::vector<double>> PerChannel(const Tensor* constant, const Shape& output, size_t axis) {
  if (constant == nullptr || !IsFloatOrHalf(constant->dtype()) || constant->rank() > output.rank()) return std::nullopt;
  if (output[axis] < 0) return std::nullopt;
  const auto channels = static_cast<size_t>(output[axis]);
  const size_t ahead = output.rank() - constant->rank();  // axes that it has not
  for (size_t i = 0; i < constant->rank(); ++i) {
    if (constant->dim(i) != 1 && (i + ahead != axis || constant->dim(i) != output[axis])) return std::nullopt;
  }
  std::vector<double> values = ToDoubles(constant->Materialized());
  if (values.size() == 1) values.assign(channels, values[0]);
  return values.size() == channels ? std::optional(values) : std::nullopt;
}

std::optional<ChannelAffine> AffineOfBatchNorm(const Graph& graph, const Node& norm) {
  if (norm.Attr<bool>("is_training") || norm.inputs.size() < 5) return std::nullopt;
  for (size_t i = 1; i < norm.outputs.size(); ++i) {
    if (!graph.value(norm.outputs[i]).uses.empty()) return std::nullopt;
  }
  std::vector<std::vector<double>> params;
  for (uint32_t i = 1; i <= 4; ++i) {
    const Tensor* param = graph.ConstantInput(norm, i);
    if (param == nullptr || !IsFloatOrHalf(param->dtype())) return std::nullopt;
    params.push_back(ToDoubles(param->Materialized()));
    if (params.back().size() != params.front().size()) return std::nullopt;
  }
  const double epsilon = norm.Attr<float>("epsilon");
  ChannelAffine affine;
  for (size_t c = 0; c < params[0].size(); ++c) {
    affine.scale.push_back(params[0][c] / std::sqrt(params[3][c] + epsilon));
    affine.shift.push_back(params[1][c] - params[2][c] * affine.scale[c]);
    // Of a variance of nothing, say: sums with what is no number are not what the difference from the mean gives.
    const double most = std::numeric_limits<float>::max();
    if (!(std::abs(affine.scale[c]) <= most) || !(std::abs(affine.shift[c]) <= most)) return std::nullopt;
  }
  return affine;
}

}  // namespace atc
