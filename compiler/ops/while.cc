// While, Case and MapIndex, which finds the number of a Case's graph, as AscendIR has them.
#include <algorithm>

#include "compiler/ir/gears.h"
#include "compiler/ops/families.h"
#include "compiler/ops/nested.h"

namespace atc {
namespace {

template <typename Context>
Graph& Nested(Context& ctx, const std::string& name) {
  Graph* graph = FindNested(ctx.node(), name);
  if (graph == nullptr) ctx.Fail("its graph '" + name + "' is missing");
  return *graph;
}

// ---- While: the values are the formal inputs of both graphs; what these capture follows them ----

void InferWhile(InferContext& ctx) {
  Graph &condition = Nested(ctx, "cond"), &body = Nested(ctx, "body");
  std::vector<TensorDesc> states;
  for (size_t i = 0; i < NumFormals(body) && i < ctx.num_inputs(); ++i) states.push_back(ctx.In(i));
  if (InferRepeated(ctx, body, {}, states, {}, 0).empty()) return;
  std::vector<InferContext::NestedInput> formals;
  for (const TensorDesc& state : states) formals.push_back({state, {}});
  InferNested(ctx, condition, std::move(formals));
  for (size_t i = 0; i < states.size(); ++i) ctx.SetOutLike(i, states[i]);
}

void WhileKernel(KernelContext& ctx) {
  const Graph &condition = Nested(ctx, "cond"), &body = Nested(ctx, "body");
  std::vector<Tensor> states;
  for (size_t i = 0; i < NumFormals(body) && i < ctx.num_inputs(); ++i) states.push_back(ctx.In(i));
  for (;;) {
    const std::vector<Tensor> goes_on = RunNested(ctx, condition, states);
    if (goes_on.empty() || !Truth(goes_on[0])) break;
    std::vector<Tensor> next = RunNested(ctx, body, std::move(states));
    if (next.size() < ctx.num_outputs()) {
      ctx.Fail("its body gives " + std::to_string(next.size()) + " values, the node has " +
               std::to_string(ctx.num_outputs()));
    }
    states = std::move(next);
  }
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, std::move(states[i]));
}

// ---- Case: graph branches<i>, the last one for an index outside of their number ----

template <typename Context>
std::vector<Graph*> Branches(Context& ctx) {
  std::vector<Graph*> branches;
  while (Graph* branch = FindNested(ctx.node(), "branches" + std::to_string(branches.size())))
    branches.push_back(branch);
  if (branches.empty()) ctx.Fail("it has no graph 'branches0'");
  return branches;
}

// Each gear has shapes of its own, whatever goes in; the results are those of the largest.
void InferGears(InferContext& ctx) {
  std::vector<std::vector<TensorDesc>> results;
  for (Graph* branch : Branches(ctx)) {
    if (!ctx.infer_graph) return;
    std::vector<InferContext::NestedInput> inputs;
    for (const NodeId id : branch->Inputs()) inputs.push_back({branch->desc(branch->node(id).outputs[0]), {}});
    results.push_back(ctx.infer_graph(*branch, inputs, false));
  }
  for (size_t i = 0; i < results[0].size(); ++i) {
    std::vector<const TensorDesc*> descs;
    for (const std::vector<TensorDesc>& gear : results) descs.push_back(&gear[i]);
    ctx.SetOutLike(i, *descs[LargestOf(descs)]);
  }
}

void InferCase(InferContext& ctx) {
  if (IsGearCase(ctx.node())) return InferGears(ctx);
  std::vector<TensorDesc> results;
  for (Graph* branch : Branches(ctx)) {
    const std::vector<TensorDesc> one = InferNested(ctx, *branch, {});
    if (one.empty()) return;
    if (results.empty()) {
      results = one;
      continue;
    }
    for (size_t i = 0; i < results.size() && i < one.size(); ++i) {
      results[i] = MergedDesc(ctx, results[i], one[i], "output " + std::to_string(i));
    }
  }
  for (size_t i = 0; i < results.size(); ++i) ctx.SetOutLike(i, results[i]);
}

void CaseKernel(KernelContext& ctx) {
  const std::vector<int64_t> index = ToInts(ctx.In(0));
  if (index.size() != 1) ctx.Fail("its branch index must be one number");
  const Graph* branch = CaseBranch(ctx.node(), index[0]);
  if (branch == nullptr) ctx.Fail("it has no graph 'branches0'");
  std::vector<Tensor> results = RunNested(ctx, *branch, {});
  for (size_t i = 0; i < ctx.num_outputs() && i < results.size(); ++i) ctx.SetOut(i, std::move(results[i]));
}

// ---- MapIndex: the number of a row among rows that lie one after the other ----

void InferMapIndex(InferContext& ctx) { ctx.SetOut(0, DT_INT32, {}); }

// Rows of data_seq; with `transpose` its columns. level_index names what to give for each, else it is the number itself.
void MapIndexKernel(KernelContext& ctx) {
  const std::vector<int64_t> x = ToInts(ctx.In(0)), all = ToInts(ctx.In(1));
  if (x.empty() || all.size() % x.size() != 0) {
    ctx.Fail("data_seq has " + std::to_string(all.size()) + " elements, which are no rows of " +
             std::to_string(x.size()));
  }
  const size_t count = all.size() / x.size();
  const bool transposed = ctx.node().Attr<bool>("transpose");
  std::vector<std::vector<int64_t>> rows(count);
  for (size_t i = 0; i < all.size(); ++i) rows[transposed ? i % count : i / x.size()].push_back(all[i]);
  const auto found = std::find(rows.begin(), rows.end(), x);
  if (found == rows.end()) ctx.Fail(GearsText({x}) + " is none of " + GearsText(rows));
  auto number = static_cast<int64_t>(found - rows.begin());
  if (ctx.HasInput(2)) {
    const std::vector<int64_t> levels = ToInts(ctx.In(2));
    if (levels.size() != count)
      ctx.Fail("level_index has " + std::to_string(levels.size()) + " elements for " + std::to_string(count));
    number = levels[static_cast<size_t>(number)];
  }
  ctx.SetOut(0, Tensor::From<int32_t>(DT_INT32, {}, {static_cast<int32_t>(number)}));
}

}  // namespace

void RegisterWhileOps(OpRegistry& registry) {
  registry.Add(OpDef("Case")
                   .In("branch_index")
                   .DynIn("input")
                   .DynOut("output")
                   .On(Unit::kRts)
                   .Infer(InferCase)
                   .Kernel(CaseKernel));
  registry.Add(OpDef("MapIndex")
                   .In("x")
                   .In("data_seq")
                   .OptIn("level_index")
                   .Out("y")
                   .Attr("transpose", false)
                   .Infer(InferMapIndex)
                   .Kernel(MapIndexKernel));
  registry.Add(OpDef("While")
                   .DynIn("input")
                   .DynOut("output")
                   .Attr("parallel_iterations", 10)
                   .On(Unit::kRts)
                   .Infer(InferWhile)
                   .Kernel(WhileKernel));
}

}  // namespace atc
