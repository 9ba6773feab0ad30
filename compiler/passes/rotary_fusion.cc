#include "compiler/passes/rotary_fusion.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "compiler/passes/subgraph_match.h"

namespace atc {
namespace {

using Ints = std::vector<int64_t>;

// One of two parts of the rows of x.
struct Part {
  ValueId x = kNoId;
  bool second = false;
  bool neighbours = false;  // even and odd elements, else halves
};

struct Rotary {
  ValueId x = kNoId, cosine = kNoId, sine = kNoId;
  bool neighbours = false;
  bool half_angles = false;  // one angle for both parts, else one for each element
};

class Matcher {
 public:
  Matcher(Graph& graph, const Node& root) : match(graph, root), graph_(graph) {}

  SubgraphMatch match;

  std::optional<Rotary> Run(ValueId root) {
    std::optional<Rotary> found = Turned(root);
    if (!found) {
      match.Back(0);
      found = ByParts(root);
    }
    if (!found || !(Dims(root) == Dims(found->x)) || !match.IsClosed(root)) return std::nullopt;
    return found;
  }

 private:
  const Shape& Dims(ValueId value) const { return graph_.desc(value).origin_shape; }
  int64_t Width(ValueId value) const {
    const Shape& shape = Dims(value);
    return shape.HasRank() && shape.rank() > 0 ? shape[shape.rank() - 1] : kUnknownDim;
  }

  std::optional<Ints> Constant(const Node& node, size_t input) const {
    const Tensor* tensor = input < node.inputs.size() ? graph_.ConstantInput(node, static_cast<uint32_t>(input)) : nullptr;
    if (tensor == nullptr || !IsInteger(tensor->dtype())) return std::nullopt;
    return ToInts(tensor->Materialized());
  }

  bool IsLast(const std::optional<Ints>& axis, size_t rank) const {
    return axis && axis->size() == 1 && ((*axis)[0] == -1 || (*axis)[0] + 1 == static_cast<int64_t>(rank));
  }

  // ---- parts of x ----

  std::optional<Part> PartOf(ValueId value) {
    const Node& node = graph_.producer(value);
    const std::string& type = node.type().str();
    if (node.Is(kSource) || !match.MayGo(node)) return std::nullopt;
    std::optional<Part> part;
    if (type == "Split" || type == "SplitD" || type == "SplitV" || type == "onnx::Split") part = SplitPart(node, value);
    if (type == "StridedSliceV2") part = SlicePart(node, value);
    if (type == "GatherV2") part = PairPart(node, value);
    if (part) match.Include(node.id);
    return part;
  }

  std::optional<Part> SplitPart(const Node& node, ValueId value) const {
    const std::string& type = node.type().str();
    const size_t input = type == "Split" ? 1 : 0;
    const ValueId x = node.inputs[input];
    std::optional<Ints> axis;
    if (type == "SplitD") axis = Ints{node.Attr<int64_t>("split_dim")};
    if (type == "onnx::Split") axis = Ints{node.Attr<int64_t>("axis")};
    if (type == "Split" || type == "SplitV") axis = Constant(node, type == "Split" ? 0 : 2);
    if (node.outputs.size() != 2 || !Dims(x).HasRank() || !IsLast(axis, Dims(x).rank())) return std::nullopt;
    if (Width(x) < 2 || Width(value) * 2 != Width(x)) return std::nullopt;
    return Part{x, graph_.value(value).index == 1, false};
  }

  std::optional<Part> SlicePart(const Node& node, ValueId value) const {
    const ValueId x = node.inputs[0];
    const auto begin = Constant(node, 1), axes = Constant(node, 3);
    const Shape& shape = Dims(x);
    if (!begin || begin->size() != 1 || !shape.HasRank() || !IsLast(axes, shape.rank())) return std::nullopt;
    const int64_t width = Width(x);
    int64_t step = 1;
    if (node.inputs.size() > 4 && node.inputs[4] != kNoId) {
      const auto steps = Constant(node, 4);
      if (!steps || steps->size() != 1) return std::nullopt;
      step = (*steps)[0];
    }
    const int64_t from = (*begin)[0] < 0 ? (*begin)[0] + width : (*begin)[0];
    if (width < 2 || width % 2 != 0 || Width(value) * 2 != width) return std::nullopt;
    if (step == 1 && (from == 0 || from == width / 2)) return Part{x, from != 0, false};
    if (step == 2 && (from == 0 || from == 1)) return Part{x, from != 0, true};
    return std::nullopt;
  }

  // Of x as pairs.
  std::optional<Part> PairPart(const Node& node, ValueId) {
    const auto index = Constant(node, 1), axis = Constant(node, 2);
    const Node& reshape = graph_.producer(node.inputs[0]);
    if (!(reshape.type() == "Reshape") || !match.MayGo(reshape)) return std::nullopt;
    const ValueId x = reshape.inputs[0];
    const Shape& pairs = Dims(node.inputs[0]);
    if (!index || index->size() != 1 || Dims(node.inputs[1]).rank() != 0 || node.Attr<int64_t>("batch_dims") != 0) return std::nullopt;
    if (!pairs.HasRank() || !Dims(x).HasRank() || pairs.rank() != Dims(x).rank() + 1 || !IsLast(axis, pairs.rank())) return std::nullopt;
    if (Width(node.inputs[0]) != 2 || pairs[pairs.rank() - 2] * 2 != Width(x)) return std::nullopt;
    if ((*index)[0] != 0 && (*index)[0] != 1 && (*index)[0] != -1) return std::nullopt;
    match.Include(reshape.id);
    return Part{x, (*index)[0] != 0, true};
  }

  // ---- both parts joined ----

  // Two values one behind the other, or in turns.
  bool Joined(ValueId value, ValueId* first, ValueId* second, bool* neighbours) {
    const size_t mark = match.mark();
    if (const Node* concat = match.Take(value, {"ConcatD"})) {
      if (concat->inputs.size() == 2 && IsLast(Ints{concat->Attr<int64_t>("concat_dim")}, Dims(value).rank())) {
        *first = concat->inputs[0];
        *second = concat->inputs[1];
        *neighbours = false;
        return true;
      }
    }
    match.Back(mark);
    const Node* reshape = match.Take(value, {"Reshape"});
    const Node* stack = reshape == nullptr ? nullptr : match.Take(reshape->inputs[0], {"ConcatD", "Pack"});
    if (stack != nullptr && stack->inputs.size() == 2 && Dims(value).HasRank()) {
      const Shape& pairs = Dims(stack->outputs[0]);
      const int64_t axis = stack->Attr<int64_t>(stack->type() == "Pack" ? "axis" : "concat_dim");
      const bool fits = pairs.HasRank() && pairs.rank() == Dims(value).rank() + 1 && IsLast(Ints{axis}, pairs.rank()) &&
                        Width(stack->outputs[0]) == 2 && pairs[pairs.rank() - 2] * 2 == Width(value);
      *first = stack->inputs[0];
      *second = stack->inputs[1];
      *neighbours = true;
      if (fits && (stack->type() == "Pack" || (Unsqueezed(first) && Unsqueezed(second)))) return true;
    }
    match.Back(mark);
    return false;
  }

  bool Unsqueezed(ValueId* value) {
    const Node* node = match.Take(*value, {"Unsqueeze", "ExpandDims", "Reshape"});
    if (node == nullptr) return false;
    const Shape &from = Dims(node->inputs[0]), &to = Dims(*value);
    if (!from.HasRank() || !to.HasRank() || to.rank() != from.rank() + 1 || to[to.rank() - 1] != 1) return false;
    if (to[to.rank() - 2] != from[from.rank() - 1]) return false;
    *value = node->inputs[0];
    return true;
  }

  // ---- x * cos + turned(x) * sin ----

  std::optional<Rotary> Turned(ValueId root) {
    const Node* add = match.Take(root, {"Add"});
    if (add == nullptr || add->inputs.size() != 2) return std::nullopt;
    const size_t mark = match.mark();
    for (size_t side = 0; side < 2; ++side) {
      match.Back(mark);
      const Node* straight = match.Take(add->inputs[side], {"Mul"});
      const Node* across = match.Take(add->inputs[1 - side], {"Mul"});
      if (straight == nullptr || across == nullptr) return std::nullopt;
      const size_t taken = match.mark();
      for (size_t s = 0; s < 4; ++s) {
        match.Back(taken);
        Rotary found;
        found.x = straight->inputs[s % 2];
        found.cosine = straight->inputs[1 - s % 2];
        found.sine = across->inputs[1 - s / 2];
        if (IsTurned(across->inputs[s / 2], found.x, &found.neighbours) && FitsAngles(found, Width(found.x))) return found;
      }
    }
    return std::nullopt;
  }

  // (-second part, first part)
  bool IsTurned(ValueId value, ValueId x, bool* neighbours) {
    ValueId first = kNoId, second = kNoId;
    if (!Joined(value, &first, &second, neighbours)) return false;
    const Node* negated = match.Take(first, {"Neg"});
    if (negated == nullptr) return false;
    const auto b = PartOf(negated->inputs[0]), a = PartOf(second);
    return a && b && a->x == x && b->x == x && b->second && !a->second && a->neighbours == *neighbours &&
           b->neighbours == *neighbours;
  }

  // ---- (a * cos - b * sin, b * cos + a * sin) ----

  std::optional<Rotary> ByParts(ValueId root) {
    ValueId first = kNoId, second = kNoId;
    Rotary found;
    if (!Joined(root, &first, &second, &found.neighbours)) return std::nullopt;
    const Node* minus = match.Take(first, {"Sub"});
    const Node* plus = match.Take(second, {"Add"});
    if (minus == nullptr || plus == nullptr || plus->inputs.size() != 2) return std::nullopt;
    const size_t mark = match.mark();
    for (size_t side = 0; side < 2; ++side) {
      match.Back(mark);
      const auto ac = Product(minus->inputs[0], false, found.neighbours), bs = Product(minus->inputs[1], true, found.neighbours);
      const auto bc = Product(plus->inputs[side], true, found.neighbours);
      const auto as = Product(plus->inputs[1 - side], false, found.neighbours);
      if (!ac || !bs || !bc || !as || ac->first != bc->first || ac->first != bs->first || ac->first != as->first) continue;
      if (ac->second != bc->second || bs->second != as->second) continue;
      found.x = ac->first;
      found.cosine = ac->second;
      found.sine = bs->second;
      found.half_angles = true;
      // Both parts turn by constant angles, which are then written for each.
      const bool constant = graph_.Constant(found.cosine) != nullptr && graph_.Constant(found.sine) != nullptr;
      if (constant && FitsAngles(found, Width(found.x) / 2)) return found;
    }
    return std::nullopt;
  }

  // A part of x times an angle: x and the angle.
  std::optional<std::pair<ValueId, ValueId>> Product(ValueId value, bool second, bool neighbours) {
    const Node* mul = match.Take(value, {"Mul"});
    if (mul == nullptr) return std::nullopt;
    for (size_t side = 0; side < 2; ++side) {
      const size_t mark = match.mark();
      const auto part = PartOf(mul->inputs[side]);
      if (part && part->second == second && part->neighbours == neighbours) return std::pair(part->x, mul->inputs[1 - side]);
      match.Back(mark);
    }
    return std::nullopt;
  }

  // Floats of the type of x, one angle for each element of a row of so many.
  bool FitsAngles(const Rotary& found, int64_t width) const {
    const TensorDesc& x = graph_.desc(found.x);
    if (!IsFloatOrHalf(x.dtype) || !x.origin_shape.HasRank() || width < 1) return false;
    for (const ValueId angle : {found.cosine, found.sine}) {
      const TensorDesc& desc = graph_.desc(angle);
      if (desc.dtype != x.dtype || !desc.origin_shape.HasRank() || desc.origin_shape.rank() > x.origin_shape.rank()) return false;
      if (Width(angle) != width) return false;
    }
    return true;
  }

  Graph& graph_;
};

// Of angles for each pair those for each element.
Tensor Doubled(const Tensor& angles, bool neighbours) {
  Shape shape = angles.shape();
  const int64_t half = shape[shape.rank() - 1];
  shape[shape.rank() - 1] = 2 * half;
  return Tensor::Deferred(angles.dtype(), shape, [angles, shape, half, neighbours] {
    const Tensor from = angles.Materialized();
    Tensor to = Tensor::Allocate(from.dtype(), shape);
    const size_t width = static_cast<size_t>(DataTypeBits(from.dtype()) / 8);
    for (int64_t i = 0; i < to.NumElements(); ++i) {
      const int64_t row = i / (2 * half), at = i % (2 * half);
      const int64_t source = row * half + (neighbours ? at / 2 : at % half);
      std::memcpy(to.MutableData() + static_cast<size_t>(i) * width, from.Data() + static_cast<size_t>(source) * width, width);
    }
    return to;
  });
}

bool Fuse(Graph& graph, PassContext& context, const Node& node) {
  Matcher matcher(graph, node);
  const ValueId root = node.outputs[0];
  const std::optional<Rotary> found = matcher.Run(root);
  if (!found || !matcher.match.Allow(context, "RotaryPositionEmbedding")) return false;
  const auto angles = [&](ValueId value, const char* what) {
    if (!found->half_angles) return value;
    return matcher.match.Constant(root, what, Doubled(*graph.Constant(value), found->neighbours));
  };
  const ValueId cosine = angles(found->cosine, "cos"), sine = angles(found->sine, "sin");
  Node& made = matcher.match.Replace(context, "RotaryPositionEmbedding", {found->x, cosine, sine}, root);
  made.attrs.Set("mode", found->neighbours ? 1 : 0);
  return true;
}

}  // namespace

bool RotaryFusionPass(Graph& graph, PassContext& context) {
  bool changed = false;
  for (const NodeId id : graph.TopologicalOrder()) {
    const Node& node = graph.node(id);
    if (!node.alive || node.outputs.size() != 1) continue;
    if (node.type() == "Add" || node.type() == "ConcatD" || node.type() == "Reshape") changed |= Fuse(graph, context, node);
  }
  return changed;
}

}  // namespace atc
