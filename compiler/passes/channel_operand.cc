#include "compiler/passes/channel_operand.h"

#include <algorithm>
#include <cstring>

namespace atc {

bool FitsChannels(const Graph& graph, ValueId operand, ValueId x) {
  const Tensor* constant = graph.Constant(operand);
  const Shape& to = graph.desc(x).origin_shape;
  if (constant == nullptr || !to.HasRank() || to.rank() < 2 || to[1] < 1) return false;
  if (constant->dtype() != graph.desc(x).dtype || constant->rank() > to.rank()) return false;
  for (size_t i = 0; i < constant->rank(); ++i) {
    const bool channel = i + to.rank() - constant->rank() == 1;
    if (constant->dim(i) != 1 && !(channel && constant->dim(i) == to[1])) return false;
  }
  return true;
}

void TakeChannelAffine(SubgraphMatch& match, const Graph& graph, ValueId x, ValueId* leaving, ValueId* scale, ValueId* shift) {
  const auto take = [&](const char* type, ValueId* operand) {
    const size_t mark = match.mark();
    const Node* user = match.TakeUser(*leaving, {type});
    if (user != nullptr && user->inputs.size() == 2) {
      const ValueId other = user->inputs[user->inputs[0] == *leaving ? 1 : 0];
      if (FitsChannels(graph, other, x)) {
        *operand = other;
        *leaving = user->outputs[0];
        return;
      }
    }
    match.Back(mark);
  };
  take("Mul", scale);
  take("Add", shift);
}

ValueId ChannelOperand(SubgraphMatch& match, const Graph& graph, ValueId operand, ValueId x, ValueId leaving, const char* what,
                       float fallback) {
  const int64_t channels = graph.desc(x).origin_shape[1];
  const Shape wanted{channels};
  if (operand == kNoId) {
    const std::vector<float> values(static_cast<size_t>(channels), fallback);
    return match.Constant(leaving, what, Tensor::From<float>(DT_FLOAT, wanted, values));
  }
  const Tensor constant = *graph.Constant(operand);
  if (constant.NumElements() == channels) return match.Constant(leaving, what, constant.Reshaped(wanted));
  return match.Constant(leaving, what, Tensor::Deferred(constant.dtype(), wanted, [constant, wanted] {
    const Tensor one = constant.Materialized();
    Tensor all = Tensor::Allocate(one.dtype(), wanted);
    for (size_t i = 0; i < all.NumBytes(); i += one.NumBytes()) std::memcpy(all.MutableData() + i, one.Data(), one.NumBytes());
    return all;
  }));
}

bool IsAll(const Graph& graph, ValueId constant, double value) {
  const Tensor* tensor = constant == kNoId ? nullptr : graph.Constant(constant);
  if (tensor == nullptr || !IsFloatOrHalf(tensor->dtype())) return false;
  const std::vector<double> values = ToDoubles(tensor->Materialized());
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
}

}  // namespace atc
