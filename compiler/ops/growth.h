// How much larger a model may become by what is computed when it is compiled: constants that are made are weighed against
// those that nobody needs any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// Folding may add this many bytes of constants, as they are stored, to those that it makes superfluous.
inline constexpr int64_t kMaxFoldGrowth = 64 * 1024;

// On a deferred Const whose value repeats, while the model is rewritten: the bytes that it takes in the om.
inline constexpr char kStoredBytesAttr[] = "_stored_bytes";

// What folding did to the size of one model, over all of its graphs.
struct FoldLedger {
  struct Left {
    std::string node;
    std::string type;
    int64_t bytes = 0;  // of its results, or of the constant that would take its place
  };
  int64_t grown = 0;       // bytes of constants added, less those no longer needed
  std::vector<Left> left;  // nodes that stay although all of their operands are constant, in the order of the graph
  std::vector<Left> kept;  // nodes that passes leave alone for what they would add, each once
};

// Bytes that a Const takes in the om.
int64_t StoredBytes(const Graph& graph, ValueId constant);

// Growth within a copy of a gear is its own while this lives: copies are rewritten alike, and what all of them hold is
// stored once. Nothing for other graphs.
class GrowthOfCopy {
 public:
  GrowthOfCopy(Graph& graph, FoldLedger* ledger);
  ~GrowthOfCopy();
  GrowthOfCopy(const GrowthOfCopy&) = delete;
  GrowthOfCopy& operator=(const GrowthOfCopy&) = delete;

 private:
  Graph& graph_;
  FoldLedger* const ledger_;  // null: nothing to do
  int64_t outside_ = 0;
};

// Whether another Const that is used, in whichever graph of the model, has its bytes from the same place: nested graphs
// hold constants of the graph around them so. Other gears' copies count for nothing.
bool IsHeldElsewhere(const Graph& graph, ValueId constant);

// Bytes that the om need no longer hold when `node` reads the constant no more; 0 where others read it.
int64_t FreedBytes(const Graph& graph, const Node& node, ValueId constant);

// Bytes that a constant which a pass makes will take in the om, to be weighed against `freed` of them. Elements may repeat,
// but whether they do is looked at, for which the constant is computed, only where all of them are more than is freed.
int64_t MadeBytes(const Tensor& made, int64_t freed, bool folded = false);
// Notes it on the Const that was made.
void NoteMadeBytes(Graph& graph, ValueId constant, int64_t bytes);

// Whether a pass may add constants of so many bytes more than it frees. Otherwise `node` is entered among those that are
// kept. Without a ledger everything may.
bool MayGrow(FoldLedger* ledger, const Node& node, int64_t growth);
// It has.
void EnterGrowth(FoldLedger* ledger, int64_t growth);

// Takes kStoredBytesAttr away again, in nested graphs too.
void ForgetStoredBytes(Graph& graph);

}  // namespace atc
