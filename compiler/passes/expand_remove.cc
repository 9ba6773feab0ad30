#include "compiler/passes/expand_remove.h"

#include <algorithm>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"

namespace atc {
namespace {

constexpr const char* kExpanders[] = {"BroadcastTo", "Expand", "Tile"};

// Elementwise operators that broadcast all of their operands.
constexpr const char* kBroadcasters[] = {
    "Add",     "Equal",     "Greater",  "GreaterEqual", "Less", "LessEqual", "LogicalAnd", "LogicalOr",
    "Maximum", "Minimum",   "Mul",      "NotEqual",     "Pow",  "RealDiv",   "SelectV2",   "SquaredDifference",
    "Sub",     "onnx::Div", "onnx::Pow"};

template <typename Names>
bool IsOneOf(const Node& node, const Names& names) {
  return std::any_of(std::begin(names), std::end(names), [&](const char* name) { return node.type() == name; });
}

// The dim of `shape` that lies on axis `axis` of a result of `rank`; 1 where it has none.
int64_t DimAt(const Shape& shape, size_t axis, size_t rank) {
  const size_t ahead = rank - shape.rank();
  return axis < ahead ? 1 : shape[axis - ahead];
}

// Whether `y` is `x` with dims of 1 repeated or put before it.
bool Repeats(const Shape& x, const Shape& y) {
  if (!x.IsKnown() || !y.IsKnown() || x.rank() > y.rank() || x == y) return false;
  for (size_t axis = 0; axis < y.rank(); ++axis) {
    const int64_t dim = DimAt(x, axis, y.rank());
    if (dim != 1 && dim != y[axis]) return false;
  }
  return true;
}

// Whether the result of `user` has its shape without the repeats of `y`: on each axis that is repeated another operand
// has all elements.
bool Broadcasts(const Graph& graph, const Node& user, ValueId y, const Shape& x) {
  if (!IsOneOf(user, kBroadcasters) || user.fused || user.outputs.size() != 1 || HasUserDtype(user)) return false;
  const Shape& result = graph.desc(user.outputs[0]).origin_shape;
  if (!result.HasRank()) return false;
  const size_t rank = result.rank();
  size_t longest = x.rank();
  for (const ValueId input : user.inputs) {
    if (input == kNoId || !graph.desc(input).origin_shape.HasRank()) return false;
    if (input != y) longest = std::max(longest, graph.desc(input).origin_shape.rank());
  }
  if (longest != rank) return false;
  const Shape& repeated = graph.desc(y).origin_shape;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t dim = DimAt(repeated, axis, rank);
    if (dim == DimAt(x, axis, rank)) continue;
    const bool held = std::any_of(user.inputs.begin(), user.inputs.end(), [&](ValueId input) {
      return input != y && DimAt(graph.desc(input).origin_shape, axis, rank) == dim;
    });
    if (!held || result[axis] != dim) return false;
  }
  return true;
}

bool Remove(Graph& graph, PassContext& context, Node& node) {
  if (node.fused || HasUserDtype(node) || !node.control_in.empty() || !node.control_out.empty()) return false;
  const ValueId x = node.inputs[0], y = node.outputs[0];
  const Shape& shape = graph.desc(x).origin_shape;
  const std::vector<Use>& uses = graph.value(y).uses;
  if (uses.empty() || !Repeats(shape, graph.desc(y).origin_shape)) return false;
  std::vector<const Node*> before{&node};
  for (const Use& use : uses) {
    const Node& user = graph.node(use.node);
    if (StreamLabelOf(user) != StreamLabelOf(node) || !Broadcasts(graph, user, y, shape)) return false;
    before.push_back(&user);
  }
  if (!context.journal.Allow(node.type().str() + " before a broadcast", before)) return false;
  for (const Use& use : uses) {
    Node& user = graph.node(use.node);
    user.origin = graph.origins().Union(node.origin, user.origin);
    user.Because("fusion", "ExpandRemovePass: broadcasts itself what " + node.name + " repeated");
    context.journal.Made(user);
  }
  graph.ReplaceUses(y, x);
  graph.Remove(node.id);
  return true;
}

}  // namespace

bool ExpandRemovePass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && IsOneOf(node, kExpanders)) changed |= Remove(graph, context, node);
  }
  return changed;
}

}  // namespace atc
