#include "compiler/passes/elementwise_affine.h"

#include <algorithm>
#include <cmath>

namespace atc {
namespace {

enum class Form { kProduct, kQuotient, kSum, kDifference };

struct Row {
  const char* type;
  Form form;
  bool by_attr = false;  // the constant is the attribute "value"
};

constexpr Row kRows[] = {
    {"Add", Form::kSum},           {"Adds", Form::kSum, true},
    {"Mul", Form::kProduct},       {"Muls", Form::kProduct, true},
    {"Neg", Form::kProduct, true}, {"RealDiv", Form::kQuotient},
    {"Sub", Form::kDifference},    {"onnx::Div", Form::kQuotient},
};

const Row* RowOf(const Node& node) {
  for (const Row& row : kRows) {
    if (node.type() == row.type && !node.fused) return &row;
  }
  return nullptr;
}

}  // namespace

bool IsAffineOperator(const Node& node) { return RowOf(node) != nullptr; }

bool IsSum(const Node& node) { return RowOf(node)->form == Form::kSum; }

uint32_t AffineSides(const Node& node) { return RowOf(node)->by_attr ? 1 : 2; }

std::optional<ChannelAffine> AffineOfElementwise(const Graph& graph, const Node& node, uint32_t side, size_t axis,
                                                 size_t channels) {
  const Row& row = *RowOf(node);
  std::vector<double> values(channels, node.type() == "Neg" ? -1.0 : 0.0);
  if (!row.by_attr) {
    const auto given = PerChannel(graph.ConstantInput(node, 1 - side), graph.desc(node.outputs[0]).origin_shape, axis);
    if (!given) return std::nullopt;
    values = *given;
  } else if (!(node.type() == "Neg")) {
    values.assign(channels, node.Attr<float>("value"));
  }
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    return std::nullopt;
  ChannelAffine affine{std::vector<double>(channels, 1.0), std::vector<double>(channels, 0.0)};
  switch (row.form) {
    case Form::kProduct: affine.scale = values; break;
    case Form::kQuotient:
      if (side != 0 || std::find(values.begin(), values.end(), 0.0) != values.end()) return std::nullopt;
      for (size_t c = 0; c < values.size(); ++c) affine.scale[c] = 1 / values[c];
      break;
    case Form::kSum: affine.shift = values; break;
    case Form::kDifference:
      affine.shift = values;
      for (double& value : side == 0 ? affine.shift : affine.scale) value = -value;
      break;
  }
  return affine;
}

}  // namespace atc
