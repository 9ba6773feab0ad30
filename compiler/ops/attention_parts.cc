#include "compiler/ops/attention_parts.h"

#include <algorithm>
#include <string_view>

namespace atc {
namespace {

constexpr int kMostViews = 24;
constexpr int kMostSteps = 8;

bool IsDivision(const Node& node) { return node.type() == "RealDiv" || node.type() == "onnx::Div"; }

bool IsProduct(const Node& node) {
  return (node.type() == "BatchMatMulV2" || node.type() == "MatMulV2") && !node.fused && node.inputs.size() >= 2;
}

bool Adjoined(const Node& product, int side) {
  const bool batched = product.type() == "BatchMatMulV2";
  return product.Attr<bool>(side == 0 ? (batched ? "adj_x1" : "transpose_x1") : (batched ? "adj_x2" : "transpose_x2"));
}

std::optional<double> Number(const Graph& graph, ValueId value) {
  const Tensor* constant = value == kNoId ? nullptr : graph.Constant(value);
  if (constant == nullptr || constant->NumElements() != 1 || !IsFloating(constant->dtype())) return std::nullopt;
  return ToDoubles(constant->Materialized())[0];
}

const Shape& ShapeOf(const Graph& graph, ValueId value) { return graph.desc(value).origin_shape; }

// The factor that a node multiplies its other operand by, and which operand that is.
std::optional<std::pair<double, ValueId>> Factor(const Graph& graph, const Node& node) {
  if (node.type() == "Muls") return std::pair(static_cast<double>(node.Attr<float>("value")), node.inputs[0]);
  if (node.inputs.size() != 2) return std::nullopt;
  for (size_t side = 0; side < 2; ++side) {
    const std::optional<double> number = Number(graph, node.inputs[1 - side]);
    const bool divides = IsDivision(node) && side == 0 && number && *number != 0;
    if (!number || !(node.type() == "Mul" || divides)) continue;
    // A constant of higher rank would add dims.
    const Shape &from = ShapeOf(graph, node.inputs[side]), &by = ShapeOf(graph, node.inputs[1 - side]);
    if (!from.HasRank() || by.rank() > from.rank()) continue;
    return std::pair(divides ? 1 / *number : *number, node.inputs[side]);
  }
  return std::nullopt;
}

// Between float and half: what is fused computes in float and rounds once.
bool IsFloatCast(const Graph& graph, const Node& node) {
  const auto floats = [&](ValueId value) {
    const DataType dtype = graph.desc(value).dtype;
    return dtype == DT_FLOAT || IsHalf(dtype);
  };
  return node.type() == "Cast" && floats(node.inputs[0]) && floats(node.outputs[0]);
}

class Finder {
 public:
  Finder(const Graph& graph, const MayJoin& may) : graph_(graph), may_(may) {}

  std::vector<NodeId> members, views;

  // Through views and, where `scaled`, products with numbers.
  SeenValue See(ValueId value, bool scaled, int depth = 0) {
    const Node& node = graph_.producer(value);
    const size_t held = members.size(), seen = views.size();
    if (depth < kMostViews && !node.Is(kSource) && may_(node)) {
      const std::optional<uint32_t> viewed = ViewedInput(node);
      const auto factor = scaled && !viewed ? Factor(graph_, node) : std::nullopt;
      if (factor) {
        SeenValue found = See(factor->second, scaled, depth + 1);
        found.scale *= factor->first;
        members.push_back(node.id);
        return found;
      }
      if (viewed && *viewed < node.inputs.size() && node.inputs[*viewed] != kNoId) {
        SeenValue found = See(node.inputs[*viewed], scaled, depth + 1);
        const bool known = ShapeOf(graph_, value).IsKnown();
        // Where sizes are not known, a transpose is what can be told.
        const bool applied = found.view ? ApplyView(graph_, node, graph_.value(value).index, &*found.view)
                                        : !known && IsTranspose(node);
        if (applied) {
          members.push_back(node.id);
          views.push_back(node.id);
          return found;
        }
        members.resize(held);
        views.resize(seen);
      }
    }
    SeenValue plain;
    plain.base = value;
    if (ShapeOf(graph_, value).IsKnown()) plain.view = StridedView::Of(ShapeOf(graph_, value));
    return plain;
  }

  // From the value that goes into the softmax up to `source`, as far as steps go; with `wants_product` up to a product.
  bool Climb(ValueId value, bool wants_product, std::vector<ScoreStep>* steps, ValueId* source, int depth = 0) {
    const Node& node = graph_.producer(value);
    const bool may = !node.Is(kSource) && may_(node);
    if (wants_product && may && IsProduct(node)) {
      *source = value;
      members.push_back(node.id);
      if (!HasBias(node)) return true;
      steps->push_back(Operand(ScoreStep::kAdd, node.inputs[2], value));
      return true;
    }
    if (may && depth < kMostSteps && Through(node, value, wants_product, steps, source, depth)) {
      members.push_back(node.id);
      return true;
    }
    *source = value;
    return !wants_product;
  }

 private:
  static bool IsTranspose(const Node& node) { return node.type() == "Transpose" || node.type() == "TransposeD"; }
  static bool HasBias(const Node& node) { return node.inputs.size() > 2 && node.inputs[2] != kNoId; }

  bool Through(const Node& node, ValueId value, bool wants_product, std::vector<ScoreStep>* steps, ValueId* source, int depth) {
    const auto climb = [&](ValueId from, bool same_shape) {
      const size_t held = members.size(), made = steps->size(), seen = views.size();
      const Shape &up = ShapeOf(graph_, from), &here = ShapeOf(graph_, value);
      if ((!same_shape || up == here) && Climb(from, wants_product, steps, source, depth + 1)) return true;
      members.resize(held);
      views.resize(seen);
      steps->resize(made);
      return false;
    };
    if (wants_product && IsFloatCast(graph_, node)) return climb(node.inputs[0], true);
    if (const auto factor = Factor(graph_, node)) {
      if (!climb(factor->second, true)) return false;
      ScoreStep step;
      step.number = factor->first;
      steps->push_back(std::move(step));
      return true;
    }
    if ((node.type() == "Add" || (node.type() == "Mul" && wants_product)) && node.inputs.size() == 2) {
      for (size_t side = 0; side < 2; ++side) {
        const ValueId from = node.inputs[side], other = node.inputs[1 - side];
        if (graph_.Constant(from) != nullptr || from == other || !climb(from, true)) continue;
        steps->push_back(Operand(node.type() == "Add" ? ScoreStep::kAdd : ScoreStep::kMul, other, value));
        return true;
      }
      return false;
    }
    if (node.type() == "Maximum" && node.inputs.size() == 2) {
      for (size_t side = 0; side < 2; ++side) {
        const std::optional<double> least = Number(graph_, node.inputs[1 - side]);
        if (!least || !climb(node.inputs[side], true)) continue;
        ScoreStep step;
        step.kind = ScoreStep::kFloor;
        step.number = *least;
        steps->push_back(std::move(step));
        return true;
      }
      return false;
    }
    if (node.type() == "SelectV2" || node.type() == "Select") {
      for (size_t side = 1; side < 3; ++side) {
        const std::optional<double> fill = Number(graph_, node.inputs[3 - side]);
        if (!fill || graph_.desc(node.inputs[0]).dtype != DT_BOOL || !climb(node.inputs[side], true)) continue;
        ScoreStep step = Operand(ScoreStep::kSelect, node.inputs[0], value);
        step.keep = side == 1;
        step.number = *fill;
        steps->push_back(std::move(step));
        return true;
      }
      return false;
    }
    // Leading dims may be counted otherwise.
    return wants_product && node.Is(kShapeOnly) && SameMatrices(node.inputs[0], value) && climb(node.inputs[0], false);
  }

  bool SameMatrices(ValueId a, ValueId b) const {
    const Shape &x = ShapeOf(graph_, a), &y = ShapeOf(graph_, b);
    if (!x.IsKnown() || !y.IsKnown() || x.rank() < 2 || y.rank() < 2) return false;
    return x[x.rank() - 1] == y[y.rank() - 1] && x[x.rank() - 2] == y[y.rank() - 2];
  }

  // An operand of scores of the shape of `scores`.
  ScoreStep Operand(ScoreStep::Kind kind, ValueId value, ValueId scores) {
    ScoreStep step;
    step.kind = kind;
    const size_t held = members.size(), seen = views.size();
    step.operand = See(value, false);
    const Shape& shape = ShapeOf(graph_, scores);
    const auto fits = [&] {
      return step.operand.view && shape.IsKnown() && step.operand.view->Broadcast(shape.dims()) && shape.rank() > 0 &&
             (shape.rank() < 2 || step.operand.view->Stride(shape.rank() - 2)) && IsRow(*step.operand.view);
    };
    if (!step.operand.view || fits()) return step;
    members.resize(held);
    views.resize(seen);
    step.operand.base = value;
    step.operand.view = StridedView::Of(ShapeOf(graph_, value));
    if (!fits()) step.operand.view.reset();
    return step;
  }

  // One element for a whole row, or neighbours.
  static bool IsRow(const StridedView& view) {
    const std::optional<int64_t> stride = view.Stride(view.rank() - 1);
    return stride && (*stride == 0 || *stride == 1);
  }

  const Graph& graph_;
  const MayJoin& may_;
};

bool IsLastAxis(const Graph& graph, const Node& softmax) {
  if (!(softmax.type() == "SoftmaxV2") || softmax.fused || softmax.Attr<bool>("half_to_float")) return false;
  const Shape& shape = ShapeOf(graph, softmax.outputs[0]);
  if (!shape.HasRank() || shape.rank() == 0) return false;
  const auto axes = softmax.Attr<std::vector<int64_t>>("axes");
  return axes.size() == 1 && (axes[0] == -1 || axes[0] + 1 == static_cast<int64_t>(shape.rank()));
}

bool Swap(SeenValue* value) {
  if (!value->view) return true;
  std::vector<int64_t> perm;
  for (size_t d = 0; d < value->view->rank(); ++d) perm.push_back(static_cast<int64_t>(d));
  if (perm.size() < 2) return false;
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return value->view->Permute(perm);
}

// To the leading dims of `like`, with its own rows.
bool BroadcastLeading(const Shape& like, SeenValue* value) {
  if (!value->view) return true;
  std::vector<int64_t> sizes = like.dims();
  const size_t rank = sizes.size(), own = value->view->rank();
  if (rank < 2 || own < 2 || own > rank) return false;
  sizes[rank - 1] = value->view->Size(own - 1);
  sizes[rank - 2] = value->view->Size(own - 2);
  return value->view->Broadcast(sizes);
}

// Reshapes and transposes of the result, as long as each is the only reader, up to the last transpose.
void FollowResult(const Graph& graph, const MayJoin& may, Attention* found) {
  std::vector<const Node*> chain;
  size_t kept = 0;
  ValueId at = found->result;
  while (chain.size() < 4) {
    const std::vector<Use>& uses = graph.value(at).uses;
    if (uses.size() != 1 || uses[0].input != 0) break;
    const Node& user = graph.node(uses[0].node);
    const bool transposes = user.type() == "Transpose" || user.type() == "TransposeD";
    if (!may(user) || !(transposes || user.Is(kShapeOnly)) || user.outputs.size() != 1) break;
    chain.push_back(&user);
    if (transposes) kept = chain.size();
    at = user.outputs[0];
  }
  for (; kept > 0; --kept) {
    const ValueId leaving = chain[kept - 1]->outputs[0];
    std::optional<StridedView> out;
    bool fits = !ShapeOf(graph, leaving).IsKnown();
    if (fits) {
      fits = kept == 1;  // a transpose alone
    } else {
      out = StridedView::Of(ShapeOf(graph, leaving));
      fits = true;
      for (size_t i = kept; i-- > 0;) fits = fits && InvertView(graph, *chain[i], &*out);
    }
    if (!fits) continue;
    for (size_t i = 0; i < kept; ++i) found->members.push_back(chain[i]->id);
    found->leaving = leaving;
    found->out = std::move(out);
    return;
  }
}

// The softmax that gives `weights`, with what stands between, or null: a Cast, and zero in place of what is no number.
const Node* SoftmaxBefore(const Graph& graph, ValueId weights, const MayJoin& may, std::vector<NodeId>* members, bool* unseen_is_zero) {
  for (int depth = 0; depth < 3; ++depth) {
    const Node& node = graph.producer(weights);
    if (node.Is(kSource) || !may(node)) return nullptr;
    if (IsLastAxis(graph, node)) return &node;
    members->push_back(node.id);
    if (IsFloatCast(graph, node)) {
      weights = node.inputs[0];
      continue;
    }
    if (!(node.type() == "SelectV2" || node.type() == "Select") || Number(graph, node.inputs[1]) != 0) return nullptr;
    const Node& asks = graph.producer(node.inputs[0]);
    if (!(asks.type() == "IsNan") || !may(asks) || asks.inputs[0] != node.inputs[2]) return nullptr;
    if (!(ShapeOf(graph, node.outputs[0]) == ShapeOf(graph, node.inputs[2]))) return nullptr;
    members->push_back(asks.id);
    *unseen_is_zero = true;
    weights = node.inputs[2];
  }
  return nullptr;
}

}  // namespace

std::optional<MaskedSoftmax> FindMaskedSoftmax(const Graph& graph, const Node& softmax, const MayJoin& may) {
  if (!IsLastAxis(graph, softmax)) return std::nullopt;
  Finder finder(graph, may);
  MaskedSoftmax found;
  if (!finder.Climb(softmax.inputs[0], false, &found.steps, &found.source) || found.steps.empty()) return std::nullopt;
  finder.members.push_back(softmax.id);
  found.members = std::move(finder.members);
  found.views = std::move(finder.views);
  return found;
}

std::optional<Attention> FindAttention(const Graph& graph, const Node& product, const MayJoin& may) {
  if (!IsProduct(product) || (product.inputs.size() > 2 && product.inputs[2] != kNoId)) return std::nullopt;
  Finder finder(graph, may);
  Attention found;
  // Weights are the first operand or, transposed, the second one.
  const Node* weights = nullptr;
  size_t side = 0;
  for (; side < 2 && weights == nullptr; ++side) {
    finder.members.clear();
    found.unseen_is_zero = false;
    if (Adjoined(product, static_cast<int>(side)) != (side == 1)) continue;
    weights = SoftmaxBefore(graph, product.inputs[side], may, &finder.members, &found.unseen_is_zero);
  }
  if (weights == nullptr) return std::nullopt;
  --side;
  const bool turned = side == 1;
  const Node& softmax = *weights;
  if (!finder.Climb(softmax.inputs[0], true, &found.steps, &found.scores)) return std::nullopt;
  const Node& first = graph.producer(found.scores);
  found.result = found.leaving = product.outputs[0];
  const Shape &scores = ShapeOf(graph, found.scores), &result = ShapeOf(graph, found.result);
  if (!scores.HasRank() || !result.HasRank() || scores.rank() < 2 || result.rank() < 2) return std::nullopt;
  found.q = finder.See(first.inputs[0], true);
  found.k = finder.See(first.inputs[1], true);
  found.v = finder.See(product.inputs[1 - side], false);
  if (Adjoined(first, 0) && !Swap(&found.q)) return std::nullopt;
  if (!Adjoined(first, 1) && !Swap(&found.k)) return std::nullopt;
  if (Adjoined(product, static_cast<int>(1 - side)) != turned && !Swap(&found.v)) return std::nullopt;
  if (scores.IsKnown() && result.IsKnown()) {
    if (!BroadcastLeading(scores, &found.q) || !BroadcastLeading(scores, &found.k) || !BroadcastLeading(result, &found.v)) return std::nullopt;
    const Shape& left = ShapeOf(graph, product.inputs[side]);
    int64_t before = 1, after = 1;
    for (size_t d = 0; d + 2 < left.rank(); ++d) before *= left[d];
    for (size_t d = 0; d + 2 < result.rank(); ++d) after *= result[d];
    if (before != after) return std::nullopt;
    found.out = StridedView::Of(result);
  }
  finder.members.push_back(softmax.id);
  finder.members.push_back(product.id);
  found.members = std::move(finder.members);
  found.views = std::move(finder.views);
  FollowResult(graph, may, &found);
  if (turned && found.out) {
    std::vector<int64_t> perm;
    for (size_t d = 0; d < found.out->rank(); ++d) perm.push_back(static_cast<int64_t>(d));
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    if (!found.out->Permute(perm)) return std::nullopt;
  }
  return found;
}

}  // namespace atc
