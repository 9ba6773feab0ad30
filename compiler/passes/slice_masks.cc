#include "compiler/passes/slice_masks.h"

#include <algorithm>
#include <string>

#include "compiler/ir/stream_label.h"
#include "compiler/passes/constant_ints.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

bool Bit(int64_t bits, size_t i) { return i < 63 && (bits >> i & 1) != 0; }

// What is taken of the axes that are not taken whole.
struct Cuts {
  Ints begin, end, axes, steps;
  bool reshapes = false;  // axes go or come
};

std::optional<Cuts> CutsOf(const Graph& graph, const Node& node) {
  const Shape& shape = graph.desc(node.inputs[0]).origin_shape;
  const auto begins = ConstantInts(graph, node, 1), ends = ConstantInts(graph, node, 2), steps = ConstantInts(graph, node, 3);
  if (!shape.HasRank() || !begins || !ends || !steps || begins->size() != ends->size() || begins->size() != steps->size()) return {};
  const auto mask = [&](const char* name) { return node.Attr<int64_t>(name); };
  const int64_t from_start = mask("begin_mask"), to_end = mask("end_mask"), ellipsis = mask("ellipsis_mask"),
                added = mask("new_axis_mask"), shrunk = mask("shrink_axis_mask");
  size_t named = 0, ellipses = 0;
  for (size_t i = 0; i < begins->size(); ++i) {
    named += !Bit(ellipsis, i) && !Bit(added, i) ? 1 : 0;
    ellipses += Bit(ellipsis, i) ? 1 : 0;
  }
  if (named > shape.rank() || ellipses > 1) return {};
  Cuts cuts;
  size_t axis = 0;
  for (size_t i = 0; i < begins->size(); ++i) {
    if (Bit(ellipsis, i)) {
      axis += shape.rank() - named;
      continue;
    }
    if (Bit(added, i)) {
      cuts.reshapes = true;
      continue;
    }
    const bool shrinks = Bit(shrunk, i);
    const bool whole = !shrinks && Bit(from_start, i) && Bit(to_end, i) && (*steps)[i] == 1;
    const int64_t dim = shape[axis++];
    if (whole) continue;
    if (dim < 0) return {};
    const auto clamp = [dim](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + dim : at, 0, dim); };
    int64_t begin = (*begins)[i], end = (*ends)[i], step = (*steps)[i];
    if (shrinks) {
      begin += begin < 0 ? dim : 0;
      if (begin < 0 || begin >= dim) return {};
      end = begin + 1;
      step = 1;
      cuts.reshapes = true;
    } else {
      begin = Bit(from_start, i) ? 0 : clamp(begin);
      end = Bit(to_end, i) ? dim : clamp(end);
    }
    if (step < 1 || end <= begin) return {};
    if (begin == 0 && end == dim && step == 1) continue;
    cuts.begin.push_back(begin);
    cuts.end.push_back(end);
    cuts.axes.push_back(static_cast<int64_t>(axis) - 1);
    cuts.steps.push_back(step);
  }
  return cuts;
}

bool Rewrite(Graph& graph, PassContext& context, Node& node) {
  const std::optional<Cuts> cuts = CutsOf(graph, node);
  if (!cuts || node.inputs.size() != 4) return false;
  const TensorDesc wanted = graph.desc(node.outputs[0]);
  const auto& dims = wanted.origin_shape.dims();
  if (cuts->reshapes) {
    if (!wanted.origin_shape.HasRank() || std::count(dims.begin(), dims.end(), kUnknownDim) > 1) return false;
    if (std::count(dims.begin(), dims.end(), 0) > 0) return false;
  } else if (cuts->axes.empty()) {
    return false;  // nothing to do, which another pass sees
  }
  if (!context.journal.Allow("StridedSlice with masks", {&node})) return false;
  const OriginId origin = node.origin;
  const std::string name = node.name;
  const auto made = [&](Node& other) -> Node& {
    other.origin = origin;
    CopyStreamLabels(node, other);
    other.Because("fusion", "StridedSliceMasksPass: of " + name);
    context.journal.Made(other);
    return other;
  };
  ValueId at = node.inputs[0];
  if (!cuts->axes.empty()) {
    TensorDesc desc = graph.desc(at);
    Shape shape = desc.origin_shape;
    for (size_t i = 0; i < cuts->axes.size(); ++i) {
      shape[static_cast<size_t>(cuts->axes[i])] = 1 + (cuts->end[i] - cuts->begin[i] - 1) / cuts->steps[i];
    }
    desc.SetShape(shape);
    std::vector<ValueId> inputs{at};
    const Ints* lists[] = {&cuts->begin, &cuts->end, &cuts->axes, &cuts->steps};
    const char* names[] = {"_begin", "_end", "_axes", "_strides"};
    for (size_t i = 0; i < 4; ++i) inputs.push_back(graph.AddConst(name + names[i], Tensor::Ints(*lists[i]), origin));
    const std::string own = cuts->reshapes ? name + "/part" : "";
    at = made(graph.Add("StridedSliceV2", own, std::move(inputs), 1)).outputs[0];
    graph.desc(at) = cuts->reshapes ? TensorDesc(desc.dtype, shape) : wanted;
  }
  if (cuts->reshapes) {
    const ValueId target = graph.AddConst(name + "_shape", Tensor::Ints(dims), origin);
    at = made(graph.Add("Reshape", "", {at, target}, 1)).outputs[0];
    graph.desc(at) = wanted;
  }
  graph.ReplaceUses(node.outputs[0], at);
  graph.Remove(node.id);
  graph.Rename(graph.producer(at), name);
  return true;
}

}  // namespace

bool StridedSliceMasksPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "StridedSlice") changed |= Rewrite(graph, context, node);
  }
  return changed;
}

}  // namespace atc
