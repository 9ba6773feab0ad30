#include "compiler/passes/space_to_depth_fusion.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/ir/user_dtype.h"
#include "compiler/passes/open_space_to_depth.h"
#include "compiler/passes/slice_ranges.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

constexpr size_t kMostAxes = 3;

struct Blocks {
  ValueId x = kNoId;
  std::vector<size_t> axes;  // that are taken in steps, the one first whose places change last along the concatenation
  Ints steps;                // along them
};

// The first element that each slice takes along each stepped axis; nothing where a slice is another one.
std::optional<std::vector<Ints>> PlacesOf(const Graph& graph, const Node& concat, size_t axis, Blocks* blocks) {
  std::vector<Ints> places;
  for (const ValueId part : concat.inputs) {
    const Node& slice = graph.producer(part);
    if (slice.Is(kSource) || graph.value(part).uses.size() != 1 || HasUserDtype(slice) ||
        StreamLabelOf(slice) != StreamLabelOf(concat))
      return {};
    if (!slice.control_in.empty() || !slice.control_out.empty()) return {};
    const auto ranges = RangesOf(graph, slice);
    if (!ranges || (blocks->x != kNoId && blocks->x != slice.inputs[0])) return {};
    blocks->x = slice.inputs[0];
    const Shape& shape = graph.desc(blocks->x).origin_shape;
    std::vector<size_t> axes;
    Ints steps, begins;
    for (size_t i = 0; i < ranges->size(); ++i) {
      const AxisRange& range = (*ranges)[i];
      if (range.Is(shape[i])) continue;
      if (i == axis || range.step < 2 || range.begin >= range.step || range.count * range.step != shape[i]) return {};
      axes.push_back(i);
      steps.push_back(range.step);
      begins.push_back(range.begin);
    }
    if (places.empty()) {
      blocks->axes = axes;
      blocks->steps = steps;
    }
    if (axes != blocks->axes || steps != blocks->steps || axes.empty() || axes.size() > kMostAxes) return {};
    places.push_back(begins);
  }
  return places;
}

// Sorts the axes so that the places count up along the concatenation.
bool Sort(const std::vector<Ints>& places, Blocks* blocks) {
  const int64_t count = std::accumulate(blocks->steps.begin(), blocks->steps.end(), int64_t{1}, std::multiplies<>());
  if (count != static_cast<int64_t>(places.size())) return false;
  std::vector<size_t> order(blocks->axes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  do {
    bool counts = true;
    for (size_t p = 0; p < places.size() && counts; ++p) {
      int64_t at = 0;
      for (const size_t axis : order) at = at * blocks->steps[axis] + places[p][axis];
      counts = at == static_cast<int64_t>(p);
    }
    if (!counts) continue;
    Blocks sorted{blocks->x, {}, {}};
    for (const size_t axis : order) {
      sorted.axes.push_back(blocks->axes[axis]);
      sorted.steps.push_back(blocks->steps[axis]);
    }
    *blocks = sorted;
    return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

bool Fuse(Graph& graph, PassContext& context, Node& concat) {
  const std::optional<size_t> axis = ConcatAxisOf(graph, concat);
  Blocks blocks;
  if (!axis || HasUserDtype(concat) || concat.inputs.size() < 2) return false;
  if (!graph.desc(concat.outputs[0]).origin_shape.IsKnown()) return FuseOpenSpaceToDepth(graph, context, concat, *axis);
  const auto places = PlacesOf(graph, concat, *axis, &blocks);
  if (!places || !Sort(*places, &blocks)) return false;
  const TensorDesc wanted = graph.desc(concat.outputs[0]);
  std::vector<const Node*> before;
  OriginId origin = concat.origin;
  for (const ValueId part : concat.inputs) {
    before.push_back(&graph.producer(part));
    origin = graph.origins().Union(origin, before.back()->origin);
  }
  before.push_back(&concat);
  if (!context.journal.Allow("ConcatD of slices in steps", before)) return false;
  // x with its stepped axes as two: [blocks, places].
  const Shape& shape = graph.desc(blocks.x).origin_shape;
  Ints parted;
  std::vector<size_t> at(shape.rank()), place(shape.rank());
  for (size_t i = 0; i < shape.rank(); ++i) {
    at[i] = parted.size();
    const auto found = std::find(blocks.axes.begin(), blocks.axes.end(), i);
    if (found == blocks.axes.end()) {
      parted.push_back(shape[i]);
      continue;
    }
    const int64_t step = blocks.steps[static_cast<size_t>(found - blocks.axes.begin())];
    parted.push_back(shape[i] / step);
    place[i] = parted.size();
    parted.push_back(step);
  }
  Ints perm, turned;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (i == *axis) {
      for (const size_t stepped : blocks.axes) perm.push_back(static_cast<int64_t>(place[stepped]));
    }
    perm.push_back(static_cast<int64_t>(at[i]));
  }
  for (const int64_t from : perm) turned.push_back(parted[static_cast<size_t>(from)]);
  const std::string name = concat.name;
  const auto add = [&](const char* type, const std::string& own, ValueId x, const Ints& ints, TensorDesc desc) {
    Node& node = graph.Add(type, own, {x, graph.AddConst(own + "_ints", Tensor::Ints(ints), origin)}, 1);
    node.origin = origin;
    CopyStreamLabels(concat, node);
    node.Because("fusion", "SpaceToDepthFusionPass: of " + name);
    graph.desc(node.outputs[0]) = std::move(desc);
    context.journal.Made(node);
    return node.outputs[0];
  };
  const ValueId halves = add("Reshape", name + "/blocks", blocks.x, parted, TensorDesc(wanted.dtype, Shape(parted)));
  const ValueId moved = add("Transpose", name + "/turned", halves, perm, TensorDesc(wanted.dtype, Shape(turned)));
  const ValueId whole = add("Reshape", name + "/whole", moved, wanted.origin_shape.dims(), wanted);
  std::vector<NodeId> slices;
  for (const ValueId part : concat.inputs) slices.push_back(graph.value(part).producer);
  graph.ReplaceUses(concat.outputs[0], whole);
  graph.Remove(concat.id);
  for (const NodeId slice : slices) graph.Remove(slice);
  graph.Rename(graph.producer(whole), name);
  return true;
}

}  // namespace

bool SpaceToDepthFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    if (node.alive && node.type() == "ConcatD") changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
