#include "compiler/passes/pad_pool_fusion.h"

#include <algorithm>
#include <limits>

#include "compiler/ops/data_format.h"
#include "compiler/ops/pool_spec.h"
#include "compiler/passes/padding_before.h"

namespace atc {
namespace {

// Attributes of the poolings that are AscendIR's.
struct PoolRow {
  const char* type;
  const char* mode;        // of padding, and the word for explicit pads
  const char* explicit_word;
};

constexpr PoolRow kMaxPools[] = {{"MaxPool3D", "padding", "CALCULATED"}, {"MaxPoolV3", "padding_mode", "CALCULATED"}};
constexpr PoolRow kAveragePools[] = {{"AvgPool3D", "auto_pad", "NOTSET"}, {"AvgPoolV2", "padding_mode", "CALCULATED"}};

template <size_t kCount>
const PoolRow* RowOf(const Node& node, const PoolRow (&rows)[kCount]) {
  for (const PoolRow& row : rows) {
    if (node.type() == row.type && !node.fused) return &row;
  }
  return nullptr;
}

// Whether the results of these are never negative, NaN aside, which goes through both ways.
constexpr const char* kNotNegative[] = {"Abs",  "Exp",     "HardSigmoid", "Relu",
                                        "Relu6", "Sigmoid", "SoftmaxV2",   "Softplus",  "Square"};

bool IsNeverNegative(const Graph& graph, ValueId value, int depth = 0) {
  const Node& node = graph.producer(value);
  if (node.type() == "ClipByValue") {
    const Tensor* low = graph.ConstantInput(node, 1);
    return low != nullptr && low->NumElements() == 1 && ToDoubles(low->Materialized())[0] >= 0;
  }
  // What passes elements on is as its operands are.
  if (depth < 8 && (node.type() == "MaxPoolV3" || node.type() == "Transpose" || node.type() == "ConcatD" || node.Is(kShapeOnly))) {
    const size_t data = node.type() == "ConcatD" ? node.inputs.size() : 1;
    return std::all_of(node.inputs.begin(), node.inputs.begin() + static_cast<ptrdiff_t>(data),
                       [&](ValueId input) { return input != kNoId && IsNeverNegative(graph, input, depth + 1); });
  }
  return std::any_of(std::begin(kNotNegative), std::end(kNotNegative),
                     [&](const char* type) { return node.type() == type; });
}

// Whether every window of the joined pooling covers an element of x.
bool AllCoverData(const std::vector<WindowAxis>& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const WindowAxis& axis) {
    if (axis.in < 1 || axis.out < 0) return false;
    for (int64_t i = 0; i < axis.out; ++i) {
      const auto [first, last] = TapsInside(axis, i * axis.stride - axis.pad_begin, 0, axis.in);
      if (first == last) return false;
    }
    return true;
  });
}

struct Joined {
  std::vector<int64_t> pads;
  PoolFit fit;
};

// The pooling as it would be with the padding among its own; nothing when its result had another shape.
std::optional<Joined> Join(const Graph& graph, Node& pool, const PoolRow& row, const PaddingBefore& padding) {
  const Shape& padded = graph.desc(pool.inputs[0]).origin_shape;
  if (!padded.IsKnown()) return std::nullopt;  // with sizes open, ceil_mode may give other sizes
  const PoolFit before = FitPool(pool, padded);
  if (!before.fault.empty() || before.axes.size() != padding.edges.size()) return std::nullopt;
  if (pool.def->FindAttr("global_pooling") != nullptr && pool.Attr<bool>("global_pooling")) return std::nullopt;
  Joined joined{JoinedPads(padding, before.axes), {}};
  Shape x = padded;
  for (size_t d = 0; d < padding.edges.size(); ++d) {
    x[d + (IsChannelsLast(pool) ? 1 : 2)] -= padding.edges[d].first + padding.edges[d].second;
  }
  const AttrMap attrs = pool.attrs;
  pool.attrs.Set("pads", AttrValue(joined.pads));
  pool.attrs.Set(row.mode, row.explicit_word);
  joined.fit = FitPool(pool, x);
  pool.attrs = attrs;
  return joined.fit.fault.empty() && joined.fit.shape == before.shape ? std::optional(joined) : std::nullopt;
}

bool Take(Graph& graph, PassContext& context, Node& pool, const PoolRow& row, const PaddingBefore& padding,
          const Joined& joined, const char* pass) {
  const Node& pad = graph.node(padding.pad);
  if (!context.journal.Allow("Pad + " + pool.type().str(), {&pad, &pool})) return false;
  pool.Because("fusion", std::string(pass) + ": took in " + pad.name);
  pool.attrs.Set("pads", AttrValue(joined.pads));
  pool.attrs.Set(row.mode, row.explicit_word);
  BypassPadding(graph, pool, 0, padding);
  context.journal.Made(pool);
  return true;
}

bool FuseMax(Graph& graph, PassContext& context, Node& pool, const PoolRow& row) {
  const std::optional<PaddingBefore> padding = FindPaddingBefore(graph, pool, 0, IsChannelsLast(pool));
  if (!padding) return false;
  const std::optional<Joined> joined = Join(graph, pool, row, *padding);
  if (!joined) return false;
  const bool least = padding->value == -std::numeric_limits<double>::infinity();
  const bool harmless = padding->value == 0 && IsNeverNegative(graph, graph.node(padding->pad).inputs[0]) &&
                        AllCoverData(joined->fit.axes);
  return (least || harmless) && Take(graph, context, pool, row, *padding, *joined, "PaddMaxPoolFusionPass");
}

bool CountsPadding(const Node& pool) {
  return pool.def->FindAttr("exclusive") != nullptr ? !pool.Attr<bool>("exclusive") : pool.Attr<bool>("count_include_pad");
}

bool FuseAverage(Graph& graph, PassContext& context, Node& pool, const PoolRow& row) {
  const std::optional<PaddingBefore> padding = FindPaddingBefore(graph, pool, 0, IsChannelsLast(pool));
  if (!padding || padding->value != 0) return false;
  const std::optional<Joined> joined = Join(graph, pool, row, *padding);
  if (!joined) return false;
  const std::vector<WindowAxis> own = FitPool(pool, graph.desc(pool.inputs[0]).origin_shape).axes;
  const bool pads_itself =
      std::any_of(own.begin(), own.end(), [](const WindowAxis& axis) { return axis.pad_begin != 0 || axis.pad_end != 0; });
  if (pads_itself && !CountsPadding(pool) && pool.Attr<int64_t>("divisor_override") == 0) return false;
  if (!Take(graph, context, pool, row, *padding, *joined, "PaddAvgPoolFusionPass")) return false;
  const bool by_exclusive = pool.def->FindAttr("exclusive") != nullptr;
  pool.attrs.Set(by_exclusive ? "exclusive" : "count_include_pad", !by_exclusive);
  return true;
}

}  // namespace

bool PaddMaxPoolFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    const PoolRow* row = node.alive ? RowOf(node, kMaxPools) : nullptr;
    if (row != nullptr) changed |= FuseMax(graph, context, node, *row);
  }
  return changed;
}

bool PaddAvgPoolFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    const PoolRow* row = node.alive ? RowOf(node, kAveragePools) : nullptr;
    if (row != nullptr) changed |= FuseAverage(graph, context, node, *row);
  }
  return changed;
}

}  // namespace atc
