// Convolutions and matrix products by a constant, and what may go into their filter and bias: a factor and a summand for
// each output channel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/tensor.h"

namespace atc {

// y = scale[c] * x + shift[c] on channel c.
struct ChannelAffine {
  std::vector<double> scale;
  std::vector<double> shift;
};

// Whether no element is infinite or NaN.
bool IsFinite(const Tensor& tensor);

struct ChannelProducer {
  size_t channels = 0;
  size_t axis = 0;  // of the output, along which the channels lie
  bool has_bias = false;
};

// What `node` is, where its filter is constant and floating-point, its bias constant or absent, and `user` alone uses it
// and may share its task (streams, types that the user asked for).
std::optional<ChannelProducer> FindChannelProducer(const Graph& graph, const Node& node, const Node& user);

// What filter and bias become; undefined: they stay as they are.
struct AffineConstants {
  Tensor filter;
  Tensor bias;
  int64_t stored = 0;  // bytes of the filter in the om
  int64_t growth = 0;  // those that it adds to what it makes superfluous
};

// filter' = filter * scale, bias' = bias * scale + shift, computed in double and rounded once. Nothing when a number would
// leave the type of the filter.
std::optional<AffineConstants> WithAffine(const Graph& graph, const Node& node, const ChannelAffine& affine);
// Weighs a filter against the one that `node` reads now.
void WeighFilter(const Graph& graph, const Node& node, ValueId filter, AffineConstants& constants);
void TakeAffine(Graph& graph, Node& node, AffineConstants constants);

// One value a channel of a constant that is broadcast to `output` and differs along `axis` alone; nothing for others.
std::optional<std::vector<double>> PerChannel(const Tensor* constant, const Shape& output, size_t axis);

// Of a BatchNorm of running statistics whose parameters are constant: with s = scale / sqrt(variance + epsilon), the
// factor is s and the summand offset - mean * s. Nothing for others, and where these are beyond what floats hold.
std::optional<ChannelAffine> AffineOfBatchNorm(const Graph& graph, const Node& norm);

}  // namespace atc
