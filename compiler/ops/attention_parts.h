// The parts of softmax and attention as models write them: what a pass makes one node of, and what a kernel reads out of
// the graph that such a node owns.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ops/strided_view.h"

namespace atc {

// Whether a node may be part; asked of each before it is.
using MayJoin = std::function<bool(const Node&)>;

// A value that is read through views: `view` has its dims, where each element is one of `base`. Without a view where
// shapes are not known.
struct SeenValue {
  ValueId base = kNoId;
  std::optional<StridedView> view;
  double scale = 1;  // constant factor
};

// What happens to scores between product and softmax, in order.
struct ScoreStep {
  enum Kind {
    kScale,   // score * number
    kFloor,   // the score, at least number
    kAdd,     // score + operand
    kMul,     // score * operand
    kSelect,  // the score where operand (bool) is `keep`, else number
  };
  Kind kind = kScale;
  double number = 1;
  bool keep = true;
  bool adds() const { return kind == kAdd || kind == kMul; }  // a float operand
  SeenValue operand;  // its view is broadcast to the shape of the scores, which it may see with their leading dims reshaped
};

// softmax over the last axis of `source` after `steps`.
struct MaskedSoftmax {
  ValueId source = kNoId;
  std::vector<ScoreStep> steps;
  std::vector<NodeId> members;  // with the softmax, no order
  std::vector<NodeId> views;    // members that only see through, which others may read as well
};

// Nothing where `softmax` is over another axis, or no step comes before it.
std::optional<MaskedSoftmax> FindMaskedSoftmax(const Graph& graph, const Node& softmax, const MayJoin& may);

// softmax(scale * q k^T, masked) v, or its transpose v^T softmax(...)^T, of which `out` is a view. All views of operands have leading dims, then rows, then elements of a row: k and v
// have keys as rows. Leading dims count the same products in all of them.
struct Attention {
  SeenValue q, k, v;
  std::vector<ScoreStep> steps;
  bool unseen_is_zero = false;  // rows whose weights are no numbers, since no score is left, have weights of zero
  ValueId scores = kNoId;   // the first product
  ValueId result = kNoId;   // the second one
  ValueId leaving = kNoId;  // the result, or what follows of reshapes up to a transpose
  std::optional<StridedView> out;  // where in `leaving` elements of `result` lie
  std::vector<NodeId> members, views;
};

// The attention whose second product is `product`.
std::optional<Attention> FindAttention(const Graph& graph, const Node& product, const MayJoin& may);

}  // namespace atc
