#include "compiler/ops/growth.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/gears.h"
#include "compiler/ops/compact_tensor.h"

namespace atc {
namespace {

bool HasBytes(const Tensor& tensor) {
  return tensor.dtype() != DT_STRING && tensor.dtype() != DT_VARIANT && tensor.NumBytes() > 0;
}

// Whether both have their bytes from the same place, whatever these are.
bool ShareBytes(const Tensor& a, const Tensor& b) {
  if (!HasBytes(a) || !HasBytes(b)) return false;
  if (a.deferred() || b.deferred()) return a.deferred() && b.deferred() && BitEqual(a, b);
  return a.Data() == b.Data();
}

// Whether a Const other than `constant` of `of` is used and shares the bytes of `tensor`.
bool Holds(const Graph& graph, const Tensor& tensor, const Graph& of, ValueId constant) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    const Node& node = graph.node(id);
    if (!node.alive) continue;
    for (const Subgraph& nested : node.subgraphs) {
      if (Holds(*nested.graph, tensor, of, constant)) return true;
    }
    if (!(node.type() == "Const") || graph.value(node.outputs[0]).uses.empty()) continue;
    if (&graph == &of && node.outputs[0] == constant) continue;
    if (ShareBytes(*graph.Constant(node.outputs[0]), tensor)) return true;
  }
  return false;
}

// On the copy of a gear: FoldLedger::grown of it, while it is rewritten.
constexpr char kGrownAttr[] = "_grown";

}  // namespace

GrowthOfCopy::GrowthOfCopy(Graph& graph, FoldLedger* ledger)
    : graph_(graph), ledger_(graph.attrs.Has(kGearLabel) ? ledger : nullptr) {
  if (ledger_ != nullptr) outside_ = std::exchange(ledger_->grown, graph.attrs.Get<int64_t>(kGrownAttr, 0));
}

GrowthOfCopy::~GrowthOfCopy() {
  if (ledger_ == nullptr) return;
  graph_.attrs.Set(kGrownAttr, ledger_->grown);
  ledger_->grown = outside_;
}

int64_t StoredBytes(const Graph& graph, ValueId constant) {
  const Tensor& tensor = *graph.Constant(constant);
  const AttrMap& attrs = graph.producer(constant).attrs;
  if (!tensor.deferred()) return static_cast<int64_t>(Stored(tensor, attrs.Get(kFoldedAttr, false)).NumBytes());
  return attrs.Get(kStoredBytesAttr, static_cast<int64_t>(tensor.NumBytes()));
}

bool IsHeldElsewhere(const Graph& graph, ValueId constant) {
  const Graph* root = &graph;
  while (root->parent_graph != nullptr && !root->attrs.Has(kGearLabel)) root = root->parent_graph;
  return Holds(*root, *graph.Constant(constant), graph, constant);
}

int64_t FreedBytes(const Graph& graph, const Node& node, ValueId constant) {
  const auto& uses = graph.value(constant).uses;
  const bool alone = std::all_of(uses.begin(), uses.end(), [&](const Use& use) { return use.node == node.id; });
  return alone && !IsHeldElsewhere(graph, constant) ? StoredBytes(graph, constant) : 0;
}

int64_t MadeBytes(const Tensor& made, int64_t freed, bool folded) {
  const auto all = static_cast<int64_t>(made.NumBytes());
  return all <= freed ? all : static_cast<int64_t>(Stored(made.Materialized(), folded).NumBytes());
}

void NoteMadeBytes(Graph& graph, ValueId constant, int64_t bytes) {
  const Tensor& tensor = *graph.Constant(constant);
  if (!tensor.deferred() || bytes >= static_cast<int64_t>(tensor.NumBytes())) return;
  graph.producer(constant).attrs.Set(kStoredBytesAttr, bytes);
}

bool MayGrow(FoldLedger* ledger, const Node& node, int64_t growth) {
  if (ledger == nullptr || growth <= 0 || ledger->grown + growth <= kMaxFoldGrowth) return true;
  const auto is_it = [&](const FoldLedger::Left& left) { return left.node == node.name; };
  if (std::none_of(ledger->kept.begin(), ledger->kept.end(), is_it)) {
    ledger->kept.push_back({node.name, node.type().str(), growth});
  }
  return false;
}

void EnterGrowth(FoldLedger* ledger, int64_t growth) {
  if (ledger != nullptr) ledger->grown += growth;
}

void ForgetStoredBytes(Graph& graph) {
  graph.attrs.Erase(kGrownAttr);
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive) continue;
    node.attrs.Erase(kStoredBytesAttr);
    for (const Subgraph& nested : node.subgraphs) ForgetStoredBytes(*nested.graph);
  }
}

}  // namespace atc
