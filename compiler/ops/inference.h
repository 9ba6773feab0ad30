// Shape inference and constant folding in one walk, with partial knowledge of small integer tensors.
#pragma once

#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"
#include "compiler/ops/folding.h"

namespace atc {

// On a node: it may fail. Inference then leaves its results of unknown shape and sets kInferErrorAttr to the message.
inline constexpr char kMayFailAttr[] = "_ignore_infer_error";
inline constexpr char kInferErrorAttr[] = "_infer_error";

// On a node that mixes types (the factors of a product are halves, its sums floats): ints, a DataType for each result in
// place of the one that follows from its operands.
inline constexpr char kResultTypesAttr[] = "_result_dtypes";

// Sets the desc of every value and replaces what is constant by Const nodes (an optional rewrite; what inference alone
// decides too, such as Shape of a known shape). If and Case of a constant operand give way to the branch that
// they take, a While that never runs to what goes in. `passes` leaves out some of this.
// Folding uses the reference kernels. A large result is deferred, so that memory holds one constant at a time.
// `ledger` carries what folding did to the size of the model from one call to the next, and what it left alone; whoever has
// one calls ForgetStoredBytes at the end.
// Throws Error naming the node whose shapes do not fit.
bool InferShapesAndFold(Graph& graph, Journal& journal, FoldLedger* ledger = nullptr, const InferencePasses& passes = {});

// Inference alone: for graphs after rewrites, and for fused ones.
void InferShapes(Graph& graph);

// The same for one node whose inputs are described; for graphs that grow node by node. What integers its inputs hold is
// known only where they are constants.
void InferNode(Graph& graph, Node& node);

}  // namespace atc
