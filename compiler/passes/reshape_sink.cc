#include "compiler/passes/reshape_sink.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

bool IsReshape(const Graph& graph, const Node& node) {
  return node.Is(kShapeOnly) && !node.fused && node.outputs.size() == 1 && !node.inputs.empty() && node.inputs[0] != kNoId &&
         graph.desc(node.inputs[0]).dtype == graph.desc(node.outputs[0]).dtype && node.control_in.empty() && node.control_out.empty();
}

// Dims [first, last) of both shapes hold the same elements.
struct Group {
  size_t x_first, x_last, y_first, y_last;
};

// From the last dims on, as far as sizes are known; the first group is what remains.
std::vector<Group> GroupsOf(const Shape& x, const Shape& y) {
  std::vector<Group> groups;
  size_t i = x.rank(), j = y.rank();
  while (i > 0 && j > 0) {
    const size_t x_last = i, y_last = j;
    int64_t a = x[--i], b = y[--j];
    while (a != b && a > 0 && b > 0) {
      if (a < b) {
        if (i == 0 || x[i - 1] < 1) break;
        a *= x[--i];
      } else {
        if (j == 0 || y[j - 1] < 1) break;
        b *= y[--j];
      }
    }
    if (a != b || a < 1) {
      groups.push_back({0, x_last, 0, y_last});
      std::reverse(groups.begin(), groups.end());
      return groups;
    }
    groups.push_back({i, x_last, j, y_last});
  }
  // Dims of 1 that are left over, or what the other shape has not.
  if (i > 0 || j > 0) groups.push_back({0, i, 0, j});
  std::reverse(groups.begin(), groups.end());
  return groups;
}

// The shape of `operand`, which is broadcast to y, beside x; nothing where there is none.
std::optional<Ints> Beside(const Shape& operand, const Shape& x, const Shape& y) {
  if (!operand.IsKnown() || operand.rank() > y.rank()) return std::nullopt;
  Ints wide(y.rank() - operand.rank(), 1), dims;
  wide.insert(wide.end(), operand.dims().begin(), operand.dims().end());
  for (const Group& group : GroupsOf(x, y)) {
    const auto all = [&](auto fits) {
      for (size_t d = group.y_first; d < group.y_last; ++d) {
        if (!fits(d)) return false;
      }
      return true;
    };
    if (all([&](size_t d) { return wide[d] == 1; })) {
      dims.insert(dims.end(), group.x_last - group.x_first, 1);
    } else if (all([&](size_t d) { return wide[d] == y[d] && y[d] > 0; })) {
      for (size_t d = group.x_first; d < group.x_last; ++d) {
        if (x[d] < 1) return std::nullopt;
        dims.push_back(x[d]);
      }
    } else {
      return std::nullopt;
    }
  }
  return dims;
}

class Sinker {
 public:
  Sinker(Graph& graph, PassContext& context) : graph_(graph), context_(context) {}

  bool Run() {
    bool changed = false;
    for (const NodeId id : graph_.TopologicalOrder()) {
      if (graph_.node(id).alive) changed |= Sink(graph_.node(id));
    }
    return changed;
  }

 private:
  const Shape& ShapeOf(ValueId value) const { return graph_.desc(value).origin_shape; }

  // A Reshape of what may take the node in.
  bool Follows(ValueId value, const Node& node) const {
    if (value == kNoId || !IsReshape(graph_, graph_.producer(value)) || !(ShapeOf(value) == ShapeOf(node.outputs[0]))) return false;
    const Node& reshape = graph_.producer(value);
    const Node& above = graph_.producer(reshape.inputs[0]);
    const bool takes = above.Is(kHeavy) || above.Is(kElementwise | kWidenHalf);
    const std::string label = StreamLabelOf(node);
    return takes && !above.Is(kSource) && !above.fused && above.outputs.size() == 1 && ShapeOf(reshape.inputs[0]).HasRank() &&
           IsReadElementwise(reshape.inputs[0], reshape) && StreamLabelOf(reshape) == label && StreamLabelOf(above) == label;
  }

  // Others may be those that stood behind the Reshape before.
  bool IsReadElementwise(ValueId x, const Node& reshape) const {
    const std::vector<Use>& uses = graph_.value(x).uses;
    return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return use.node == reshape.id || graph_.node(use.node).Is(kElementwise | kWidenHalf);
    });
  }

  bool Sink(Node& node) {
    if (!node.Is(kElementwise | kWidenHalf) || node.Is(kStateful) || node.fused || HasUserDtype(node)) return false;
    if (node.outputs.size() != 1 || !node.control_in.empty() || !node.control_out.empty()) return false;
    const ValueId out = node.outputs[0];
    const auto found = std::find_if(node.inputs.begin(), node.inputs.end(), [&](ValueId value) { return Follows(value, node); });
    if (found == node.inputs.end() || graph_.desc(*found).dtype != graph_.desc(out).dtype) return false;
    const ValueId seen = *found;
    const Node& reshape = graph_.producer(seen);
    const ValueId x = reshape.inputs[0];
    const Shape from = ShapeOf(x), to = ShapeOf(out);
    std::vector<std::optional<Ints>> beside(node.inputs.size());  // of what is not x and no single number
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId value = node.inputs[i];
      if (value == kNoId || value == seen) continue;
      const Shape& shape = ShapeOf(value);
      const bool constant = graph_.Constant(value) != nullptr;
      if (shape.HasRank() && shape.rank() == 0) continue;
      if (!constant && !(shape.IsKnown() && shape == to && from.IsKnown())) return false;
      beside[i] = Beside(shape, from, to);
      if (!beside[i]) return false;
    }
    if (!context_.journal.Allow("Reshape + " + node.type().str(), {&reshape, &node})) return false;
    const NodeId before = reshape.id;
    const std::vector<ValueId> tail(reshape.inputs.begin() + 1, reshape.inputs.end());
    for (uint32_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == seen) graph_.SetInput(node, i, x);
      if (!beside[i]) continue;
      const NodeId operand = graph_.value(node.inputs[i]).producer;
      graph_.SetInput(node, i, Reshaped(node.inputs[i], Shape(*beside[i]), node));
      const Node& left = graph_.node(operand);
      if (IsReshape(graph_, left) && graph_.value(left.outputs[0]).uses.empty()) graph_.Remove(operand);
    }
    const TensorDesc desc = graph_.desc(out);
    const std::vector<Use> uses = graph_.value(out).uses;
    TensorDesc own = graph_.desc(x);
    own.dtype = desc.dtype;
    graph_.desc(out) = own;
    const OpDef& def = *graph_.node(before).def;
    std::vector<ValueId> inputs{out};
    inputs.insert(inputs.end(), tail.begin(), tail.end());
    Node& behind = graph_.Add(def, node.name + "/reshape", std::move(inputs), 1);
    behind.attrs = graph_.node(before).attrs;
    behind.origin = node.origin;
    CopyStreamLabels(node, behind);
    behind.Because("fusion", "ReshapeSinkPass: behind " + node.name);
    graph_.desc(behind.outputs[0]) = desc;
    for (const Use& use : uses) graph_.SetInput(graph_.node(use.node), use.input, behind.outputs[0]);
    if (graph_.value(graph_.node(before).outputs[0]).uses.empty()) graph_.Remove(before);
    context_.journal.Made(node);
    context_.journal.Made(behind);
    return true;
  }

  ValueId Reshaped(ValueId value, const Shape& shape, const Node& node) {
    if (const Tensor* constant = graph_.Constant(value)) {
      const Node& producer = graph_.producer(value);
      return graph_.AddConst(producer.name, constant->Reshaped(shape), producer.origin);
    }
    const Node& producer = graph_.producer(value);
    if (IsReshape(graph_, producer) && ShapeOf(producer.inputs[0]) == shape) return producer.inputs[0];
    const ValueId target = graph_.AddConst(node.name + "/operand_shape", Tensor::Ints(shape.dims()), node.origin);
    Node& reshape = graph_.Add("Reshape", node.name + "/operand", {value, target}, 1);
    reshape.origin = node.origin;
    CopyStreamLabels(node, reshape);
    for (const int64_t dim : shape.dims()) {
      if (dim == 0) reshape.attrs.Set("allowzero", 1);
    }
    graph_.desc(reshape.outputs[0]) = TensorDesc(graph_.desc(value).dtype, shape);
    context_.journal.Made(reshape);
    return reshape.outputs[0];
  }

  Graph& graph_;
  PassContext& context_;
};

}  // namespace

bool ReshapeSinkPass(Graph& graph, PassContext& context) { return Sinker(graph, context).Run(); }

}  // namespace atc
