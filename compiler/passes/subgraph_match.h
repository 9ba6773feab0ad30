// What passes share that look for a pattern of several operators: which of them belong to it, and what takes its place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/passes/pass.h"

namespace atc {

// The only element of a constant of numbers; nothing where it is another value.
std::optional<double> ScalarOf(const Graph& graph, ValueId value);

// Exporters write constants with seven digits at most.
bool Near(double value, double wanted);

inline bool IsFloatOrHalf(DataType dtype) { return dtype == DT_FLOAT || IsHalf(dtype); }

class SubgraphMatch {
 public:
  // `root` makes the result of the pattern, or a part of it from which the pattern is found.
  SubgraphMatch(Graph& graph, const Node& root);

  const Graph& graph() const { return graph_; }

  // Takes in the producer of `value` if it is of one of `types` (empty: of any) and may go: it has one output, owns no
  // graph, has no control edges, no type that a user fixed, and the stream label of the root. nullptr otherwise.
  const Node* Take(ValueId value, std::initializer_list<std::string_view> types);
  // The same of the only user of `value`, which must be no other than it.
  const Node* TakeUser(ValueId value, std::initializer_list<std::string_view> types);

  // Takes in a node that was found by other means; MayGo says whether it may.
  void Include(NodeId id) { members_.push_back(id); }
  // Whether a node with any number of outputs may go or be read through.
  bool MayGo(const Node& node) const;

  // Taking is undone down to a mark, so that alternatives can be tried.
  size_t mark() const { return members_.size(); }
  void Back(size_t mark) { members_.resize(mark); }

  // What is behind a Cast of half to float, taking in the Cast; else `value`.
  ValueId BehindWidening(ValueId value);

  // Whether nobody but members reads what members make, `leaving` and members among `free` aside.
  bool IsClosed(ValueId leaving, std::span<const NodeId> free = {}) const;

  // Asks the journal whether the pattern may be rewritten.
  bool Allow(PassContext& context, std::string_view pattern) const;

  // Members in topological order, each once.
  std::vector<NodeId> Members() const;

  // One operator in place of the pattern, whose result was `leaving`: members go with all that nobody reads any more.
  // Called after Allow; the node takes the name of the producer of `leaving`.
  Node& Replace(PassContext& context, const char* type, std::vector<ValueId> inputs, ValueId leaving) {
    return Replace(context, type, std::move(inputs), std::vector<ValueId>{leaving});
  }
  // The same for an operator of several results, each in the place of a value of `leaving`; the first one names it. kNoId: a
  // result that nobody read before, which the caller describes.
  Node& Replace(PassContext& context, const char* type, std::vector<ValueId> inputs, const std::vector<ValueId>& leaving);
  // The same between two Transposes: the operator reads `x` with its axes in `order`, then `others`, and its result is
  // turned back.
  Node& ReplaceTurned(PassContext& context, const char* type, ValueId x, std::vector<ValueId> others,
                      const std::vector<int64_t>& order, ValueId leaving);
  // A further operator of `made` and `others`, which all read from then on in its place. Returns its result, without desc.
  ValueId Follow(PassContext& context, const Node& made, const char* type, std::vector<ValueId> others, std::string name);
  // A constant for the replacement, named after the producer of `leaving`.
  ValueId Constant(ValueId leaving, const char* what, Tensor value);

 private:
  Graph& graph_;
  std::string label_;
  std::vector<NodeId> members_;
};

}  // namespace atc
