// The heart of all normalisations that exporters spell out: x, or x less its mean, over the root of its mean square.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/passes/subgraph_match.h"

namespace atc {

struct NormMatch {
  ValueId x = kNoId;
  std::vector<int64_t> axes;  // normalised ones, from 0, ascending
  float epsilon = 0;
  ValueId scale = kNoId;    // a factor that is multiplied in; kNoId: none
  ValueId shift = kNoId;    // an addend
  ValueId leaving = kNoId;  // the result, of the shape and type of x
};

// Whether `operand` may be the scale or shift of a normalisation of `x` over `axes`.
using NormOperandFits = bool (*)(const Graph& graph, ValueId operand, ValueId x, const std::vector<int64_t>& axes);

// Whether MatchNorm may find something at `node`.
bool IsNormCandidate(const Node& node);

// The normalisation whose quotient, product with the inverse root or sum `node` is, with what follows of scale and
// shift, in any of the ways to write it: Div by Sqrt, Mul by Rsqrt, Reciprocal or a negative Pow; Pow 2, Square, Mul of
// equals or SquaredDifference; the mean subtracted once or twice, or its square from the mean of squares; a scale
// before or behind the quotient; x * a + (shift - mean * a) with a = inverse * scale; Casts between float and half
// anywhere. `centered`: less the mean, and with a shift. All members are in `match` then; nothing where the node is no
// such thing or others read what is inside. The rank of x is known.
std::optional<NormMatch> MatchNorm(SubgraphMatch& match, const Node& node, bool centered, NormOperandFits fits);

// Whether axes are the last ones of `x`, whose sizes are known.
bool AreTrailing(const Graph& graph, ValueId x, const std::vector<int64_t>& axes);
// Whether `operand` has just the elements that are normalised: their shape, or a constant with leading dims of 1.
bool FitsTrailing(const Graph& graph, ValueId operand, ValueId x, const std::vector<int64_t>& axes);
// The scale or shift of a trailing normalisation in the shape of what is normalised, made of `fallback` where absent;
// for nodes that want one.
ValueId TrailingOperand(SubgraphMatch& match, Graph& graph, const NormMatch& norm, ValueId operand, const char* what,
                        float fallback);

}  // namespace atc
