#include "compiler/passes/norm_match.h"

#include <algorithm>
#include <numeric>

#include "compiler/passes/reduction_axes.h"

namespace atc {
namespace {

using Types = std::initializer_list<std::string_view>;

class Matcher {
 public:
  Matcher(SubgraphMatch& match, NormOperandFits fits) : match_(match), graph_(match.graph()), fits_(fits) {}

  std::optional<NormMatch> Run(const Node& node, bool centered) {
    found_.leaving = node.outputs[0];
    match_.Back(0);
    if (match_.Take(found_.leaving, {}) == nullptr) return std::nullopt;
    const bool core =
        node.type() == "Add" || node.type() == "Sub" ? centered && Spread(node) : Quotient(node, centered);
    if (!core || !Ranked() || !IsFloatOrHalf(graph_.desc(x_).dtype)) return std::nullopt;
    if (found_.scale != kNoId && !Fits(found_.scale)) return std::nullopt;
    if (found_.shift != kNoId && !Fits(found_.shift)) return std::nullopt;
    TakeAffine(centered);
    if (!ChooseX() || !(graph_.desc(found_.x).origin_shape == graph_.desc(found_.leaving).origin_shape))
      return std::nullopt;
    if (!match_.IsClosed(found_.leaving)) return std::nullopt;
    return std::move(found_);
  }

 private:
  // ---- steps ----

  const Node* Take(ValueId value, Types types) { return match_.Take(Inside(value), types); }

  // Behind a Cast between float types inside of the pattern.
  ValueId Inside(ValueId value) {
    const ValueId behind = Bare(value);
    if (behind == value) return value;
    return match_.Take(value, {"Cast"}) ? behind : value;
  }

  // Behind the Cast of an input of the pattern, which others may read as well.
  ValueId Bare(ValueId value) const {
    if (value == kNoId) return value;
    const Node& cast = graph_.producer(value);
    if (!(cast.type() == "Cast") || !IsFloatOrHalf(graph_.desc(value).dtype)) return value;
    return IsFloatOrHalf(graph_.desc(cast.inputs[0]).dtype) ? cast.inputs[0] : value;
  }

  bool IsScalar(ValueId value, double wanted) const {
    const std::optional<double> found = ScalarOf(graph_, value);
    return found && Near(*found, wanted);
  }

  // mean square + epsilon
  bool Raised(ValueId value, ValueId* mean_square) {
    if (const Node* adds = Take(value, {"Adds"})) {
      found_.epsilon = adds->Attr<float>("value");
      *mean_square = adds->inputs[0];
      return found_.epsilon > 0;
    }
    const Node* add = Take(value, {"Add"});
    if (add == nullptr) return false;
    for (size_t side = 0; side < 2; ++side) {
      const std::optional<double> epsilon = ScalarOf(graph_, Bare(add->inputs[side]));
      if (!epsilon || *epsilon <= 0) continue;
      found_.epsilon = static_cast<float>(*epsilon);
      *mean_square = add->inputs[1 - side];
      return true;
    }
    return false;
  }

  bool Power(ValueId value, double exponent, ValueId* base) {
    const size_t mark = match_.mark();
    const Node* pow = Take(value, {"Pow", "onnx::Pow"});
    if (pow != nullptr && IsScalar(pow->inputs[1], exponent)) {
      *base = pow->inputs[0];
      return true;
    }
    match_.Back(mark);
    return false;
  }

  // The square root of the raised mean square.
  bool Root(ValueId value, ValueId* mean_square) {
    ValueId base = kNoId;
    if (const Node* sqrt = Take(value, {"Sqrt"})) {
      base = sqrt->inputs[0];
    } else if (!Power(value, 0.5, &base)) {
      return false;
    }
    return Raised(base, mean_square);
  }

  bool InverseRoot(ValueId value, ValueId* mean_square) {
    const size_t mark = match_.mark();
    ValueId base = kNoId;
    if (const Node* rsqrt = Take(value, {"Rsqrt"})) return Raised(rsqrt->inputs[0], mean_square);
    if (Power(value, -0.5, &base)) return Raised(base, mean_square);
    if (const Node* inverse = Take(value, {"Reciprocal"})) return Root(inverse->inputs[0], mean_square);
    const Node* div = Take(value, {"RealDiv", "onnx::Div"});
    if (div != nullptr && IsScalar(div->inputs[0], 1) && Root(div->inputs[1], mean_square)) return true;
    match_.Back(mark);
    return false;
  }

  // The inverse root, or its product with a scale.
  bool ScaledInverse(ValueId value, ValueId* mean_square) {
    if (InverseRoot(value, mean_square)) return true;
    const size_t mark = match_.mark();
    const Node* mul = Take(value, {"Mul"});
    for (size_t side = 0; mul != nullptr && side < 2; ++side) {
      if (!InverseRoot(mul->inputs[side], mean_square)) continue;
      found_.scale = mul->inputs[1 - side];
      return true;
    }
    match_.Back(mark);
    return false;
  }

  // The mean over axes that stay as dims of 1.
  bool Mean(ValueId value, std::vector<int64_t>* axes, ValueId* of) {
    const Node* mean = Take(value, {"ReduceMean"});
    std::optional<std::vector<int64_t>> kept = mean == nullptr ? std::nullopt : KeptAxes(graph_, *mean);
    if (!kept) return false;
    *of = mean->inputs[0];
    *axes = std::move(*kept);
    return true;
  }

  bool IsMeanOf(ValueId value, ValueId x) {
    std::vector<int64_t> axes;
    ValueId of = kNoId;
    return Mean(value, &axes, &of) && Bare(of) == x && axes == found_.axes;
  }

  // x less its mean.
  bool Centred(ValueId value, ValueId* x, ValueId* mean) {
    const Node* sub = Take(value, {"Sub"});
    if (sub == nullptr) return false;
    *x = sub->inputs[0];
    *mean = sub->inputs[1];
    return IsMeanOf(*mean, Bare(*x));
  }

  // What a square is of.
  bool Square(ValueId value, ValueId* base) {
    const Node* square = Take(value, {});
    if (square == nullptr) return false;
    const bool pow = square->type() == "Pow" || square->type() == "onnx::Pow";
    *base = square->inputs[0];
    return square->type() == "Square" || (pow && IsScalar(square->inputs[1], 2)) ||
           (square->type() == "Mul" && Bare(square->inputs[0]) == Bare(square->inputs[1]));
  }

  // Behind what keeps a value at or above zero.
  ValueId Unclamped(ValueId value) {
    const size_t mark = match_.mark();
    if (const Node* relu = Take(value, {"Relu"})) return relu->inputs[0];
    const Node* maximum = Take(value, {"Maximum"});
    for (size_t side = 0; maximum != nullptr && side < 2; ++side) {
      if (IsScalar(maximum->inputs[side], 0)) return maximum->inputs[1 - side];
    }
    match_.Back(mark);
    return value;
  }

  // The variance as the mean of squares less the square of the mean.
  bool DifferenceOfSquares(ValueId value, ValueId* x, ValueId* mean) {
    const size_t mark = match_.mark();
    ValueId squared = kNoId;
    const Node* sub = Take(Unclamped(value), {"Sub"});
    if (sub != nullptr && Mean(sub->inputs[0], &found_.axes, &squared) && Square(squared, x) &&
        Square(sub->inputs[1], mean) && IsMeanOf(*mean, Bare(*x))) {
      return true;
    }
    match_.Back(mark);
    *x = *mean = kNoId;
    return false;
  }

  // What is squared: x with its mean subtracted, as one value or as both.
  bool MeanSquare(ValueId value, ValueId* x, ValueId* mean) {
    if (DifferenceOfSquares(value, x, mean)) return true;
    ValueId squared = kNoId;
    if (!Mean(value, &found_.axes, &squared)) return false;
    const size_t mark = match_.mark();
    if (const Node* difference = Take(squared, {"SquaredDifference"})) {
      *x = difference->inputs[0];
      *mean = difference->inputs[1];
      return true;
    }
    match_.Back(mark);
    return Square(squared, x);
  }

  // ---- the ways to write it ----

  bool Quotient(const Node& node, bool centered) {
    ValueId mean_square = kNoId;
    if (node.inputs.size() != 2) return false;
    const size_t mark = match_.mark();
    for (size_t side = 0; side < 2; ++side) {
      const ValueId other = node.inputs[1 - side];
      const bool product = node.type() == "Mul" && ScaledInverse(other, &mean_square);
      const bool quotient = side == 0 && !product && IsDivision(node) && Root(other, &mean_square);
      if ((product || quotient) && Numerator(node.inputs[side], mean_square, centered)) return true;
      match_.Back(mark);
      found_.scale = kNoId;
    }
    return false;
  }

  static bool IsDivision(const Node& node) { return node.type() == "RealDiv" || node.type() == "onnx::Div"; }

  bool Numerator(ValueId numerator, ValueId mean_square, bool centered) {
    ValueId squared = kNoId, subtracted = kNoId;
    if (!MeanSquare(mean_square, &squared, &subtracted)) return false;
    if (!centered) {
      if (subtracted != kNoId) return false;
      x_ = numerator;
      const auto is_squared = [&](ValueId value) { return Bare(value) == Bare(squared); };
      return is_squared(x_) || ScaledFirst(numerator, is_squared, &x_);
    }
    ValueId mean = kNoId, x = kNoId, other_x = kNoId;
    const auto is_centred = [&](ValueId value) { return Centred(value, &x, &mean); };
    if (ValueId part = kNoId; !is_centred(numerator) && !ScaledFirst(numerator, is_centred, &part)) return false;
    if (subtracted != kNoId) {
      other_x = squared;
      if (subtracted != mean && !IsMeanOf(subtracted, Bare(x))) return false;
    } else if (!Centred(squared, &other_x, &mean)) {
      return false;
    }
    x_ = x;
    return Bare(x) == Bare(other_x);
  }

  // The product of a scale and of what `is_part` knows, scaled before it is divided.
  template <typename IsPart>
  bool ScaledFirst(ValueId value, IsPart is_part, ValueId* part) {
    const size_t mark = match_.mark();
    const Node* mul = found_.scale == kNoId ? Take(value, {"Mul"}) : nullptr;
    for (size_t side = 0; mul != nullptr && side < 2; ++side) {
      if (!is_part(mul->inputs[side])) continue;
      *part = mul->inputs[side];
      found_.scale = mul->inputs[1 - side];
      return true;
    }
    match_.Back(mark);
    return false;
  }

  // x * a + (shift - mean * a), x * a + -mean * a, or x * a - mean * a, where a is the inverse root, scaled or not.
  bool Spread(const Node& node) {
    const size_t mark = match_.mark();
    for (size_t side = 0; side < (node.type() == "Add" ? 2 : 1); ++side) {
      if (SpreadFrom(node, node.inputs[side], node.inputs[1 - side])) return true;
      match_.Back(mark);
      found_.scale = found_.shift = kNoId;
    }
    return false;
  }

  bool IsMoved(ValueId value, ValueId x, bool negated) {
    if (!negated) return IsMeanOf(value, x);
    const Node* neg = Take(value, {"Neg"});
    return neg != nullptr && IsMeanOf(neg->inputs[0], x);
  }

  bool SpreadFrom(const Node& node, ValueId first, ValueId rest) {
    const Node* product = Take(first, {"Mul"});
    if (product == nullptr) return false;
    ValueId offset = rest;
    bool negated = false;  // the mean, where no shift is subtracted from
    if (node.type() == "Add") {
      const Node* sub = Take(rest, {"Sub"});
      negated = sub == nullptr;
      if (sub != nullptr) {
        found_.shift = sub->inputs[0];
        offset = sub->inputs[1];
      }
    }
    const Node* moved = Take(offset, {"Mul"});
    if (moved == nullptr) return false;
    for (size_t side = 0; side < 2; ++side) {
      const ValueId x = product->inputs[side], factor = product->inputs[1 - side];
      const size_t mark = match_.mark();
      ValueId mean_square = kNoId, squared = kNoId, subtracted = kNoId;
      for (size_t at = 0; at < 2; ++at) {
        if (moved->inputs[1 - at] == factor && ScaledInverse(factor, &mean_square) &&
            MeanSquare(mean_square, &squared, &subtracted) && IsMoved(moved->inputs[at], Bare(x), negated) &&
            (subtracted == kNoId ? Centred(squared, &squared, &subtracted) : IsMeanOf(subtracted, Bare(x))) &&
            Bare(squared) == Bare(x)) {
          x_ = x;
          return true;
        }
        match_.Back(mark);
        found_.scale = kNoId;
        subtracted = kNoId;
      }
    }
    return false;
  }

  // ---- what follows ----

  bool Fits(ValueId operand) const { return fits_(graph_, operand, x_, found_.axes); }

  bool Follows(const char* type, ValueId* operand) {
    const size_t mark = match_.mark();
    const ValueId before = found_.leaving;
    SkipCast();
    const Node* user = match_.TakeUser(found_.leaving, {type});
    if (user != nullptr && user->inputs.size() == 2 && user->inputs[0] != user->inputs[1]) {
      const ValueId other = user->inputs[user->inputs[0] == found_.leaving ? 1 : 0];
      if (Fits(other)) {
        *operand = other;
        found_.leaving = user->outputs[0];
        return true;
      }
    }
    match_.Back(mark);
    found_.leaving = before;
    return false;
  }

  void SkipCast() {
    const size_t mark = match_.mark();
    const Node* cast = match_.TakeUser(found_.leaving, {"Cast"});
    if (cast == nullptr) return;
    if (IsFloatOrHalf(graph_.desc(cast->outputs[0]).dtype)) {
      found_.leaving = cast->outputs[0];
    } else {
      match_.Back(mark);
    }
  }

  void TakeAffine(bool centered) {
    if (found_.shift != kNoId) return;
    if (found_.scale == kNoId) Follows("Mul", &found_.scale);
    if (centered) Follows("Add", &found_.shift);
  }

  bool Ranked() const { return graph_.desc(x_).origin_shape.HasRank(); }

  // Of the model's own type where the result has it, too.
  bool ChooseX() {
    const auto same = [&](ValueId x) { return graph_.desc(x).dtype == graph_.desc(found_.leaving).dtype; };
    const ValueId bare = Bare(x_), before = found_.leaving;
    const size_t mark = match_.mark();
    if (!same(bare)) SkipCast();
    if (same(bare)) {
      found_.x = bare;
      return true;
    }
    match_.Back(mark);
    found_.leaving = before;
    found_.x = x_;
    return same(x_);
  }

  SubgraphMatch& match_;
  const Graph& graph_;
  NormOperandFits fits_;
  NormMatch found_;
  ValueId x_ = kNoId;  // as the pattern reads it
};

Shape TrailingShape(const Graph& graph, ValueId x, const std::vector<int64_t>& axes) {
  const std::vector<int64_t>& dims = graph.desc(x).origin_shape.dims();
  return Shape(std::vector<int64_t>(dims.begin() + axes.front(), dims.end()));
}

}  // namespace

bool IsNormCandidate(const Node& node) {
  const auto is_type = [&](const char* type) { return node.type() == type; };
  constexpr const char* kTypes[] = {"Add", "Mul", "RealDiv", "Sub", "onnx::Div"};
  return node.inputs.size() == 2 && node.outputs.size() == 1 &&
         std::any_of(std::begin(kTypes), std::end(kTypes), is_type);
}

std::optional<NormMatch> MatchNorm(SubgraphMatch& match, const Node& node, bool centered, NormOperandFits fits) {
  return Matcher(match, fits).Run(node, centered);
}

bool AreTrailing(const Graph& graph, ValueId x, const std::vector<int64_t>& axes) {
  const Shape& shape = graph.desc(x).origin_shape;
  if (axes.empty() || axes.back() + 1 != static_cast<int64_t>(shape.rank())) return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != axes.front() + static_cast<int64_t>(i) || shape[static_cast<size_t>(axes[i])] < 1) return false;
  }
  return true;
}

bool FitsTrailing(const Graph& graph, ValueId operand, ValueId x, const std::vector<int64_t>& axes) {
  if (!AreTrailing(graph, x, axes) || !IsFloatOrHalf(graph.desc(operand).dtype)) return false;
  const Shape wanted = TrailingShape(graph, x, axes);
  Shape shape = graph.desc(operand).origin_shape;
  if (!shape.HasRank() || shape == wanted) return shape.HasRank();
  if (graph.Constant(operand) == nullptr || shape.rank() > graph.desc(x).origin_shape.rank()) return false;
  const bool padded = shape.rank() > wanted.rank() && shape.NumElements() == wanted.NumElements();
  return padded && std::equal(wanted.dims().begin(), wanted.dims().end(), shape.dims().end() - wanted.rank());
}

ValueId TrailingOperand(SubgraphMatch& match, Graph& graph, const NormMatch& norm, ValueId operand, const char* what,
                        float fallback) {
  const Shape wanted = TrailingShape(graph, norm.x, norm.axes);
  if (operand == kNoId) {
    const std::vector<float> values(static_cast<size_t>(wanted.NumElements()), fallback);
    return match.Constant(norm.leaving, what, Tensor::From<float>(DT_FLOAT, wanted, values));
  }
  if (graph.desc(operand).origin_shape == wanted) return operand;
  return match.Constant(norm.leaving, what, graph.Constant(operand)->Reshaped(wanted));
}

}  // namespace atc
