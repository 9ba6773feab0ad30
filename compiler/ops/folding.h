// Constant folding: nodes whose operands are constant give way to what they compute, as long as the model does not grow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/infer_context.h"
#include "compiler/ir/journal.h"
#include "compiler/ops/growth.h"

namespace atc {

// The passes that run within inference, under the names of their switches and of their entries in the journal.
inline constexpr char kConstantFolding[] = "ConstantFoldingPass";      // operands are constant
inline constexpr char kDimensionCompute[] = "DimensionComputePass";    // integers that follow from shapes
inline constexpr char kReplaceEmpty[] = "ReplaceWithEmptyConstPass";   // results without elements
inline constexpr char kCondRemove[] = "CondRemovePass";                // branches and loops that never run

struct InferencePasses {
  bool constants = true;
  bool dimensions = true;
  bool empty = true;
  bool conditions = true;
};

class Folder {
 public:
  Folder(Graph& graph, Journal& journal, FoldLedger& ledger, const InferencePasses& passes);

  // Replaces a described node by constants where all of its operands are constant, or where inference knows all integers
  // of its outputs: they are in `ints`. Of what would grow the model too much the results are known nevertheless: a node
  // that makes little of much may then be folded, and the whole chain goes. Returns whether the graph changed.
  bool Fold(Node& node, const std::map<ValueId, PartialInts>& ints);
  // The value as a constant: that of a Const, or what a node that stays computes; nullptr where neither is known.
  const Tensor* Constant(ValueId value) const;
  // Enters the nodes that stay into the ledger.
  void Close();

 private:
  // Gives the constant that an Identity names anew to what reads it; false where it is to be folded as others are.
  bool PassOn(Node& node);
  bool KnowsInts(const Node& node, const std::map<ValueId, PartialInts>& ints) const;
  bool FoldKnownInts(Node& node, const std::map<ValueId, PartialInts>& ints);
  std::vector<DataType> ResultTypes(const Node& node) const;
  std::optional<std::vector<Tensor>> Compute(const Node& node, std::vector<Tensor> inputs) const;
  // Bytes that the om need no longer hold once nobody reads a constant in this graph.
  int64_t Freed(ValueId value);
  // Bytes of constants that nobody needs once `node` is gone, with the nodes that stayed and served it alone.
  int64_t Removed(const Node& node);
  // `compact`, when asked for, in full.
  Tensor SpreadLater(const Tensor& compact, const Shape& shape);
  Tensor Deferred(const Node& node, std::vector<Tensor> inputs) const;
  // An output that is used, by a constant that takes so many bytes in the om.
  void Replace(Node& node, size_t output, Tensor tensor, int64_t stored);
  void Drop(NodeId id);
  bool Allow(const char* pass, const char* pattern, const Node& node) {
    journal_.EnterPass(pass);
    return journal_.Allow(pattern, {&node});
  }
  void Keep(const Node& node, int64_t bytes) { kept_.emplace_back(node.id, bytes); }

  Graph& graph_;
  Journal& journal_;
  FoldLedger& ledger_;
  const InferencePasses& passes_;
  std::map<ValueId, Tensor> known_;        // results of nodes that stay
  std::map<ValueId, int64_t> freed_;       // bytes, of constants that were asked for
  const bool nested_;                      // it is one of several graphs
  std::vector<std::pair<NodeId, int64_t>> kept_;
  std::vector<std::pair<Tensor, Tensor>> spread_;  // compacted and whole
  int64_t known_bytes_ = 0;
};

}  // namespace atc
