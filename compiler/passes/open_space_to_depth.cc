#include "compiler/passes/open_space_to_depth.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "compiler/ir/stream_label.h"
#include "compiler/passes/constant_ints.h"
#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kToTheEnd = INT32_MAX;  // exporters of 32-bit numbers say it so

// Which elements are taken along height and width.
struct Place {
  std::array<int64_t, 2> begin{0, 0};
  std::array<int64_t, 2> step{1, 1};
};

class Matcher {
 public:
  Matcher(Graph& graph, const Node& concat, size_t axis) : graph_(graph), concat_(concat), match_(graph, concat) {
    first_ = axis == 1 ? 2 : 1;  // of the axes that are taken in steps
  }

  bool Run() {
    match_.Include(concat_.id);
    if (!match_.MayGo(concat_)) return false;
    for (const ValueId part : concat_.inputs) {
      if (!Follow(part)) return false;
    }
    const auto count = static_cast<int64_t>(concat_.inputs.size());
    if (block * block != count) return false;
    Ints sorted = places;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < count; ++i) {
      if (sorted[static_cast<size_t>(i)] != i) return false;
    }
    return match_.IsClosed(concat_.outputs[0]);
  }

  SubgraphMatch& match() { return match_; }

  ValueId x = kNoId;
  int64_t block = 0;
  Ints places;  // by part: the row of a block times the block's size, and the column

 private:
  // Takes in the slices above `part` up to where both axes are taken in steps.
  bool Follow(ValueId part) {
    Place place;
    ValueId at = part;
    while (place.step[0] == 1 || place.step[1] == 1) {
      const Node* slice = match_.Take(at, {"StridedSliceV2"});
      if (slice == nullptr || !Read(*slice, &place)) return false;
      at = slice->inputs[0];
    }
    if (x == kNoId) {
      x = at;
      block = place.step[0];
    }
    places.push_back(place.begin[0] * block + place.begin[1]);
    return at == x && place.step[0] == block && place.step[1] == block;
  }

  bool Read(const Node& slice, Place* place) const {
    for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
      if (slice.Attr<int64_t>(mask) != 0) return false;
    }
    const auto begins = ConstantInts(graph_, slice, 1), ends = ConstantInts(graph_, slice, 2);
    if (!begins || !ends || begins->size() != ends->size()) return false;
    std::optional<Ints> axes = Ints(begins->size()), steps = Ints(begins->size(), 1);
    std::iota(axes->begin(), axes->end(), int64_t{0});
    if (HasInput(slice, 3)) axes = ConstantInts(graph_, slice, 3);
    if (HasInput(slice, 4)) steps = ConstantInts(graph_, slice, 4);
    if (!axes || !steps || axes->size() != begins->size() || steps->size() != begins->size()) return false;
    for (size_t i = 0; i < axes->size(); ++i) {
      const int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + 4 : (*axes)[i];
      const int64_t begin = (*begins)[i], step = (*steps)[i];
      if ((*ends)[i] < kToTheEnd) return false;
      if (begin == 0 && step == 1) continue;
      const int64_t which = axis - first_;
      if (which < 0 || which > 1 || step < 2 || begin < 0 || begin >= step) return false;
      const auto at = static_cast<size_t>(which);
      if (place->step[at] != 1) return false;
      place->step[at] = step;
      place->begin[at] = begin;
    }
    return true;
  }

  Graph& graph_;
  const Node& concat_;
  SubgraphMatch match_;
  int64_t first_;
};

}  // namespace

bool FuseOpenSpaceToDepth(Graph& graph, PassContext& context, Node& concat, size_t axis) {
  const TensorDesc wanted = graph.desc(concat.outputs[0]);
  if (wanted.origin_shape.rank() != 4 || (axis != 1 && axis != 3) || concat.inputs.size() < 4) return false;
  Matcher found(graph, concat, axis);
  if (!found.Run()) return false;
  const int64_t channels = graph.desc(found.x).origin_shape[axis];
  const bool ordered = std::is_sorted(found.places.begin(), found.places.end());
  if (!ordered && channels < 0) return false;
  if (!found.match().Allow(context, "ConcatD of slices in steps")) return false;
  ValueId x = found.x;
  const auto set = [&](Node& moved) {
    moved.attrs.Set("block_size", found.block);
    moved.attrs.Set("data_format", axis == 1 ? "NCHW" : "NHWC");
  };
  if (ordered) {
    set(found.match().Replace(context, "SpaceToDepth", {x}, concat.outputs[0]));
    return true;
  }
  Node& moved = graph.Add("SpaceToDepth", concat.name + "/blocks", {x}, 1);
  set(moved);
  moved.origin = concat.origin;
  CopyStreamLabels(concat, moved);
  moved.Because("fusion", "SpaceToDepthFusionPass: of " + concat.name);
  graph.desc(moved.outputs[0]) = wanted;
  context.journal.Made(moved);
  Ints order;
  for (const int64_t place : found.places) {
    for (int64_t c = 0; c < channels; ++c) order.push_back(place * channels + c);
  }
  const ValueId indices = found.match().Constant(concat.outputs[0], "order", Tensor::Ints(order));
  const ValueId along =
      found.match().Constant(concat.outputs[0], "axis", Tensor::Ints({static_cast<int64_t>(axis)}).Reshaped(Shape{}));
  found.match().Replace(context, "GatherV2", {moved.outputs[0], indices, along}, concat.outputs[0]);
  return true;
}

}  // namespace atc
