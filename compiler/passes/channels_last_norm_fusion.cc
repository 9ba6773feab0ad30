#include "compiler/passes/channels_last_norm_fusion.h"

#include <cstring>
#include <numeric>
#include <string>

#include "compiler/passes/norm_match.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// How many dims at the end of x are channels, of which groups are the first: 1 for each channel by itself, 2 for groups;
// 0 where the axes are other ones.
size_t ChannelDims(const Shape& x, const Ints& axes) {
  if (!x.HasRank() || x.rank() < 3 || axes.empty()) return 0;
  const auto rank = static_cast<int64_t>(x.rank());
  Ints between(static_cast<size_t>(rank - 2));
  std::iota(between.begin(), between.end(), int64_t{1});
  if (axes == between) return 1;
  between.back() = rank - 1;
  return rank > 3 && axes == between ? 2 : 0;
}

// A constant that is one number, or one for each channel along the last `channel_dims` dims.
bool FitsLast(const Graph& graph, ValueId operand, ValueId x, size_t channel_dims) {
  const Tensor* constant = graph.Constant(operand);
  const Shape& to = graph.desc(x).origin_shape;
  if (constant == nullptr || !IsFloatOrHalf(constant->dtype()) || constant->rank() > to.rank()) return false;
  if (constant->NumElements() == 1) return true;
  const size_t ahead = to.rank() - constant->rank();
  for (size_t d = 0; d < to.rank(); ++d) {
    const int64_t dim = d < ahead ? 1 : constant->dim(d - ahead);
    if (dim != (d + channel_dims < to.rank() ? 1 : to[d])) return false;
  }
  return true;
}

bool FitsChannelDims(const Graph& graph, ValueId operand, ValueId x, const Ints& axes) {
  const size_t dims = ChannelDims(graph.desc(x).origin_shape, axes);
  return dims > 0 && FitsLast(graph, operand, x, dims);
}

// As one element a channel.
ValueId Operand(SubgraphMatch& match, const Graph& graph, ValueId operand, int64_t channels, ValueId leaving, const char* what, float fallback) {
  const Shape wanted{channels};
  if (operand == kNoId) {
    return match.Constant(leaving, what, Tensor::From<float>(DT_FLOAT, wanted, std::vector<float>(static_cast<size_t>(channels), fallback)));
  }
  const Tensor constant = *graph.Constant(operand);
  if (constant.NumElements() == channels) return match.Constant(leaving, what, constant.Reshaped(wanted));
  const Tensor one = constant.Materialized();
  Tensor all = Tensor::Allocate(one.dtype(), wanted);
  for (size_t i = 0; i < all.NumBytes(); i += one.NumBytes()) std::memcpy(all.MutableData() + i, one.Data(), one.NumBytes());
  return match.Constant(leaving, what, all);
}

class Fuser {
 public:
  Fuser(Graph& graph, PassContext& context, const Node& node) : graph_(graph), context_(context), match_(graph, node) {}

  bool Run(const Node& node) {
    const std::optional<NormMatch> norm = MatchNorm(match_, node, true, FitsChannelDims);
    if (!norm) return false;
    const size_t channel_dims = ChannelDims(ShapeOf(norm->x), norm->axes);
    if (channel_dims == 0) return false;
    x_ = norm->x;
    leaving_ = norm->leaving;
    scale_ = norm->scale;
    shift_ = norm->shift;
    const Shape& parted = ShapeOf(x_);
    const int64_t groups = parted[parted.rank() - channel_dims];
    if (channel_dims == 2 && !JoinGroups()) return false;
    const Shape& shape = ShapeOf(x_);
    const int64_t channels = shape[shape.rank() - 1];
    if (groups < 1 || channels < 1) return false;
    if (scale_ == kNoId && shift_ == kNoId) TakeAffine();
    const char* type = channel_dims == 2 ? "GroupNormV2" : "InstanceNorm";
    if (!match_.IsClosed(leaving_) || !match_.Allow(context_, type)) return false;
    Make(type, groups, channels, norm->epsilon);
    return true;
  }

 private:
  const Shape& ShapeOf(ValueId value) const { return graph_.desc(value).origin_shape; }

  // The Reshapes around, of and to [n, ..., channels].
  bool JoinGroups() {
    const Shape parted = ShapeOf(x_);
    const Node* apart = match_.Take(x_, {"Reshape"});
    const Node* joined = match_.TakeUser(leaving_, {"Reshape"});
    if (apart == nullptr || joined == nullptr) return false;
    Ints dims(parted.dims().begin(), parted.dims().end() - 1);
    if (dims.back() < 1 || parted[parted.rank() - 1] < 1) return false;
    dims.back() *= parted[parted.rank() - 1];
    for (size_t d = 1; d < dims.size(); ++d) {
      if (dims[d] < 1) return false;  // the batch alone may be open
    }
    if (!(ShapeOf(apart->inputs[0]) == Shape(dims)) || !(ShapeOf(joined->outputs[0]) == Shape(dims))) return false;
    x_ = apart->inputs[0];
    leaving_ = joined->outputs[0];
    return true;
  }

  void TakeAffine() {
    const auto take = [&](const char* type, ValueId* operand) {
      const size_t mark = match_.mark();
      const Node* user = match_.TakeUser(leaving_, {type});
      if (user != nullptr && user->inputs.size() == 2) {
        const ValueId other = user->inputs[user->inputs[0] == leaving_ ? 1 : 0];
        if (FitsLast(graph_, other, x_, 1) && graph_.Constant(other)->dtype() == graph_.desc(x_).dtype) {
          *operand = other;
          leaving_ = user->outputs[0];
          return;
        }
      }
      match_.Back(mark);
    };
    take("Mul", &scale_);
    take("Add", &shift_);
  }

  void Make(const char* type, int64_t groups, int64_t channels, float epsilon) {
    const auto last = static_cast<int64_t>(ShapeOf(x_).rank()) - 1;
    Ints channels_first{0, last};
    for (int64_t axis = 1; axis < last; ++axis) channels_first.push_back(axis);
    const ValueId gamma = Operand(match_, graph_, scale_, channels, leaving_, "gamma", 1);
    const ValueId beta = Operand(match_, graph_, shift_, channels, leaving_, "beta", 0);
    Node& made = match_.ReplaceTurned(context_, type, x_, {gamma, beta}, channels_first, leaving_);
    if (type == std::string("GroupNormV2")) made.attrs.Set("num_groups", groups);
    made.attrs.Set(type == std::string("GroupNormV2") ? "eps" : "epsilon", epsilon);
    made.attrs.Set("data_format", "NCHW");
  }

  Graph& graph_;
  PassContext& context_;
  SubgraphMatch match_;
  ValueId x_ = kNoId, leaving_ = kNoId, scale_ = kNoId, shift_ = kNoId;
};

}  // namespace

bool ChannelsLastNormFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (node.alive && IsNormCandidate(node)) changed |= Fuser(graph, context, node).Run(node);
  }
  return changed;
}

}  // namespace atc
