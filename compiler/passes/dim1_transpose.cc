#include "compiler/passes/dim1_transpose.h"

#include <string>

#include "compiler/ir/stream_label.h"
#include "compiler/passes/permuted_node.h"

namespace atc {
namespace {

// Whether the axes that hold more than one element stay in their order.
bool MovesNothing(const Shape& x, const Axes& order) {
  if (!x.IsKnown() || x.rank() != order.size()) return false;
  int64_t last = -1;
  for (const int64_t axis : order) {
    if (x[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

}  // namespace

bool Dim1TransposeToSqueezePass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    const std::optional<Axes> order = OrderOf(graph, node);
    if (!order || IsIdentityOrder(*order)) continue;
    const ValueId x = node.inputs[0], y = node.outputs[0];
    if (!MovesNothing(graph.desc(x).origin_shape, *order)) continue;
    if (!context.journal.Allow("Transpose of dims of 1", {&node})) continue;
    const std::vector<int64_t> dims = graph.desc(y).origin_shape.dims();
    const ValueId shape = graph.AddConst(node.name + "_shape", Tensor::Ints(dims), node.origin);
    Node& reshape = graph.Add("Reshape", "", {x, shape}, 1);
    for (const int64_t dim : dims) {
      if (dim == 0) reshape.attrs.Set("allowzero", 1);  // a 0 would copy a dim
    }
    reshape.origin = node.origin;
    CopyStreamLabels(node, reshape);
    graph.desc(reshape.outputs[0]) = graph.desc(y);
    const std::string name = node.name;
    graph.ReplaceUses(y, reshape.outputs[0]);
    graph.Remove(id);
    graph.Rename(reshape, name);
    context.journal.Made(reshape);
    changed = true;
  }
  return changed;
}

}  // namespace atc
