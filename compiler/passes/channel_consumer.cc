#include "compiler/passes/channel_consumer.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/ops/data_format.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/growth.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

struct Ports {
  const char* type;
  uint32_t data, filter, bias;
  const char* transposed = nullptr;       // of products: the flag of the filter
  const char* data_transposed = nullptr;  // and of the data
  bool spreads = false;                   // a transposed convolution: filter [C, M / groups, ...]
};

constexpr Ports kPorts[] = {
    {"BatchMatMulV2", 0, 1, 2, "adj_x2", "adj_x1"},       {"Conv2D", 0, 1, 2},
    {"Conv2DTranspose", 1, 2, 3, nullptr, nullptr, true}, {"Conv3D", 0, 1, 2},
    {"Conv3DTranspose", 1, 2, 3, nullptr, nullptr, true}, {"MatMulV2", 0, 1, 2, "transpose_x2", "transpose_x1"},
};

const Ports* FindPorts(const Node& node) {
  for (const Ports& row : kPorts) {
    if (node.type() == row.type) return &row;
  }
  return nullptr;
}

constexpr double kLargestHalf = 65504;  // of fp16, which a later stage may choose

ValueId BiasOf(const Node& node, const Ports& ports) {
  return node.inputs.size() > ports.bias ? node.inputs[ports.bias] : kNoId;
}

int64_t GroupsOf(const Node& node, const Ports& ports) {
  return ports.transposed != nullptr ? 1 : std::max<int64_t>(1, node.Attr<int64_t>("groups"));
}

bool Pads(const Node& node) {
  const std::string mode = node.Attr<std::string>("auto_pad");
  if (mode != "NOTSET") return mode != "VALID";
  const auto pads = node.Attr<std::vector<int64_t>>("pads");
  return std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; });
}

// Which input and output channel an element of the filter belongs to.
struct Channels {
  Channels(const Node& node, const Ports& ports, const Shape& filter) {
    const bool product = ports.transposed != nullptr;
    const size_t rank = filter.rank();
    const size_t in = product ? (node.Attr<bool>(ports.transposed) ? rank - 1 : rank - 2) : ports.spreads ? 0 : 1;
    const size_t out = product ? 2 * rank - 3 - in : 1 - in;
    in_inner = filter.Strides()[in];
    in_dim = filter[in];
    out_inner = filter.Strides()[out];
    out_dim = filter[out];
    // Of a convolution in groups each group of output channels has input channels of its own.
    if (!product && !ports.spreads) out_per_group = out_dim / GroupsOf(node, ports);
  }

  size_t Out(int64_t i) const { return static_cast<size_t>(i / out_inner % out_dim); }
  size_t In(int64_t i) const {
    const int64_t group = out_per_group == 0 ? 0 : static_cast<int64_t>(Out(i)) / out_per_group;
    return static_cast<size_t>(i / in_inner % in_dim + group * in_dim);
  }

  int64_t in_inner, in_dim, out_inner, out_dim;
  int64_t out_per_group = 0;  // 0: there are no groups
};

Tensor Scaled(const Tensor& filter, const std::vector<double>& scale, const Channels& channels) {
  const Tensor wide = Widen(filter.Materialized());
  Tensor out = Tensor::Allocate(DT_FLOAT, filter.shape());
  const float* from = wide.Data<float>();
  auto* to = out.MutableData<float>();
  for (int64_t i = 0; i < filter.NumElements(); ++i) to[i] = static_cast<float>(from[i] * scale[channels.In(i)]);
  return Narrow(out, filter.dtype());
}

double Largest(const Tensor& tensor) {
  double most = 0;
  const Tensor wide = Widen(tensor.Materialized());
  const float* values = wide.Data<float>();
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    if (std::isfinite(values[i])) most = std::max(most, std::abs(static_cast<double>(values[i])));
  }
  return most;
}

// Whether the filter can become fp16 as well with the scales as without: nothing goes beyond the largest number, and the
// step between the smallest ones, 2^-24, stays as fine beside the filter's largest weight as fp16 rounds it anyway, on
// channels of small scales, too, which are those of large data.
bool KeepsHalf(const Tensor& filter, const std::vector<double>& scale) {
  const double most = Largest(filter);
  const double fine = std::ldexp(1, -13);
  return std::all_of(scale.begin(), scale.end(), [&](double by) {
    const double scaled = std::abs(by) * most;
    return scaled == 0 || (std::abs(by) < 1 ? scaled >= fine : scaled <= kLargestHalf || most > kLargestHalf);
  });
}

// The bias with what the summands come to behind the filter as it was.
Tensor Shifted(const Tensor& filter, const Tensor& bias, const std::vector<double>& shift, const Channels& channels) {
  const auto count = static_cast<size_t>(channels.out_dim);
  std::vector<double> sums(count, 0.0);
  if (bias.defined()) {
    sums = ToDoubles(bias.Materialized());
    if (sums.size() == 1) sums.assign(count, sums[0]);
  }
  const Tensor wide = Widen(filter.Materialized());
  const float* values = wide.Data<float>();
  for (int64_t i = 0; i < filter.NumElements(); ++i) sums[channels.Out(i)] += values[i] * shift[channels.In(i)];
  const std::vector<float> floats(sums.begin(), sums.end());
  return Narrow(Tensor::From<float>(DT_FLOAT, {channels.out_dim}, floats),
                bias.defined() ? bias.dtype() : filter.dtype());
}

}  // namespace

std::optional<ChannelConsumer> FindChannelConsumer(const Graph& graph, const Node& node, ValueId data,
                                                   const Node& before) {
  const Ports* ports = FindPorts(node);
  if (ports == nullptr || node.fused || node.outputs.size() != 1 || node.inputs[ports->data] != data)
    return std::nullopt;
  if (StreamLabelOf(node) != StreamLabelOf(before) || HasUserDtype(node) || HasUserDtype(before)) return std::nullopt;
  const Tensor* filter = graph.ConstantInput(node, ports->filter);
  const TensorDesc& x = graph.desc(data);
  if (filter == nullptr || !IsFloatOrHalf(filter->dtype()) || filter->dtype() != x.dtype || filter->rank() < 2)
    return std::nullopt;
  if (!x.origin_shape.HasRank() || x.origin_shape.rank() < 2 || graph.desc(node.outputs[0]).dtype != x.dtype)
    return std::nullopt;
  const bool product = ports->transposed != nullptr;
  if (product && (filter->rank() != 2 || node.Attr<bool>(ports->data_transposed))) return std::nullopt;
  const ValueId bias = BiasOf(node, *ports);
  const Tensor* held = bias == kNoId ? nullptr : graph.Constant(bias);
  if (bias != kNoId && (held == nullptr || !IsFloatOrHalf(held->dtype()))) return std::nullopt;
  const Channels channels(node, *ports, filter->shape());
  const bool fits = held == nullptr || held->NumElements() == 1 || held->NumElements() == channels.out_dim;
  ChannelConsumer found;
  found.channels = static_cast<size_t>(channels.in_dim * (ports->spreads ? 1 : GroupsOf(node, *ports)));
  found.axis = product || IsChannelsLast(node) ? x.origin_shape.rank() - 1 : 1;
  found.takes_shift = fits && (product || (!ports->spreads && !Pads(node)));
  if (x.origin_shape[found.axis] != static_cast<int64_t>(found.channels)) return std::nullopt;
  return found;
}

std::optional<AffineConstants> WithAffineBefore(const Graph& graph, const Node& node, const ChannelAffine& affine) {
  const Ports& ports = *FindPorts(node);
  const Tensor filter = *graph.ConstantInput(node, ports.filter);
  const ValueId bias = BiasOf(node, ports);
  const Tensor held = bias == kNoId ? Tensor() : *graph.Constant(bias);
  const Channels channels(node, ports, filter.shape());
  const auto differs = [](const std::vector<double>& values, double from) {
    return std::any_of(values.begin(), values.end(), [&](double value) { return value != from; });
  };
  AffineConstants constants;
  if (differs(affine.scale, 1)) {
    if (!KeepsHalf(filter, affine.scale)) return std::nullopt;
    constants.filter = Tensor::Deferred(filter.dtype(), filter.shape(), [filter, scale = affine.scale, channels] {
      return Scaled(filter, scale, channels);
    });
    if (IsHalf(filter.dtype())) {
      constants.filter = constants.filter.Materialized();
      if (!IsFinite(constants.filter) && IsFinite(filter.Materialized())) return std::nullopt;
    }
    WeighFilter(graph, node, node.inputs[ports.filter], constants);
  }
  if (differs(affine.shift, 0)) {
    constants.bias = Shifted(filter, held, affine.shift, channels);
    if (!IsFinite(constants.bias)) return std::nullopt;
    if (Largest(constants.bias) > kLargestHalf && (!held.defined() || Largest(held) <= kLargestHalf))
      return std::nullopt;
  }
  return constants;
}

}  // namespace atc
