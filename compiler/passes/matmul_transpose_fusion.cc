#include "compiler/passes/matmul_transpose_fusion.h"

#include <utility>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/permuted_node.h"

namespace atc {
namespace {

struct ProductFlags {
  const char* type;
  const char* flags[2];  // of x1 and x2
};

constexpr ProductFlags kProducts[] = {
    {"BatchMatMulV2", {"adj_x1", "adj_x2"}},
    {"MatMulV2", {"transpose_x1", "transpose_x2"}},
};

const ProductFlags* FlagsOf(const Node& node) {
  for (const ProductFlags& row : kProducts) {
    if (node.type() == row.type && !node.fused) return &row;
  }
  return nullptr;
}

bool SwapsLastAxes(const Graph& graph, const Node& node) {
  std::optional<Axes> order = OrderOf(graph, node);
  if (!order || order->size() < 2) return false;
  std::swap((*order)[order->size() - 1], (*order)[order->size() - 2]);
  return IsIdentityOrder(*order);
}

void Flip(Node& node, const char* flag) { node.attrs.Set(flag, !node.Attr<bool>(flag)); }

void TakeIn(Graph& graph, PassContext& context, Node& product, const Node& transpose) {
  product.origin = graph.origins().Union(product.origin, transpose.origin);
  product.Because("fusion", "MatMulTransposeFusionPass: took in " + transpose.name);
  context.journal.Made(product);
}

bool FuseOperands(Graph& graph, PassContext& context, Node& product, const ProductFlags& row) {
  bool changed = false;
  for (uint32_t side = 0; side < 2; ++side) {
    Node& transpose = graph.producer(product.inputs[side]);
    if (!SwapsLastAxes(graph, transpose) || StreamLabelOf(transpose) != StreamLabelOf(product)) continue;
    if (!context.journal.Allow("Transpose + " + product.type().str(), {&transpose, &product})) continue;
    graph.SetInput(product, side, transpose.inputs[0]);
    Flip(product, row.flags[side]);
    TakeIn(graph, context, product, transpose);
    if (graph.value(transpose.outputs[0]).uses.empty()) graph.Remove(transpose.id);
    changed = true;
  }
  return changed;
}

bool IsMatrix(const Graph& graph, ValueId value) {
  const Shape& shape = graph.desc(value).origin_shape;
  return shape.HasRank() && shape.rank() >= 2;
}

bool FuseResult(Graph& graph, PassContext& context, Node& product, const ProductFlags& row) {
  const auto& uses = graph.value(product.outputs[0]).uses;
  if (uses.size() != 1 || uses[0].input != 0) return false;
  Node& transpose = graph.node(uses[0].node);
  if (!SwapsLastAxes(graph, transpose) || StreamLabelOf(transpose) != StreamLabelOf(product)) return false;
  if (HasUserDtype(product) || HasUserDtype(transpose)) return false;
  for (uint32_t i = 2; i < product.inputs.size(); ++i) {
    if (product.inputs[i] != kNoId) return false;  // a bias runs along the rows
  }
  if (!IsMatrix(graph, product.inputs[0]) || !IsMatrix(graph, product.inputs[1])) return false;
  if (!context.journal.Allow(product.type().str() + " + Transpose", {&product, &transpose})) return false;
  const ValueId first = product.inputs[0], second = product.inputs[1];
  const bool flags[] = {product.Attr<bool>(row.flags[0]), product.Attr<bool>(row.flags[1])};
  graph.SetInput(product, 0, second);
  graph.SetInput(product, 1, first);
  product.attrs.Set(row.flags[0], !flags[1]);
  product.attrs.Set(row.flags[1], !flags[0]);
  graph.desc(product.outputs[0]) = graph.desc(transpose.outputs[0]);
  TakeIn(graph, context, product, transpose);
  graph.ReplaceUses(transpose.outputs[0], product.outputs[0]);
  graph.Remove(transpose.id);
  return true;
}

}  // namespace

bool MatMulTransposeFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    const ProductFlags* row = node.alive ? FlagsOf(node) : nullptr;
    if (row == nullptr) continue;
    changed |= FuseOperands(graph, context, node, *row);
    changed |= FuseResult(graph, context, node, *row);
  }
  return changed;
}

}  // namespace atc
