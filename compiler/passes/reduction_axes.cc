#include "compiler/passes/reduction_axes.h"

#include <algorithm>

namespace atc {
namespace {

bool KeepsDims(const Node& node) {
  const AttrValue* value = node.attrs.Find("keep_dims");
  return value != nullptr && std::holds_alternative<bool>(*value) && std::get<bool>(*value);
}

}  // namespace

std::optional<std::vector<int64_t>> KeptAxes(const Graph& graph, const Node& reduction) {
  const Shape& shape = graph.desc(reduction.inputs[0]).origin_shape;
  if (!KeepsDims(reduction) || !shape.HasRank()) return std::nullopt;
  std::vector<int64_t> axes;
  if (const auto* attr = reduction.attrs.FindAs<std::vector<int64_t>>("axes")) {
    axes = *attr;
  } else if (reduction.inputs.size() > 1 && reduction.inputs[1] != kNoId) {
    if (const Tensor* constant = graph.Constant(reduction.inputs[1])) axes = ToInts(constant->Materialized());
  }
  const auto rank = static_cast<int64_t>(shape.rank());
  for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  if (axes.empty() || axes.front() < 0 || axes.back() >= rank) return std::nullopt;
  return axes;
}

}  // namespace atc
