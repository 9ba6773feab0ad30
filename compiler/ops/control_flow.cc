// If and Loop. Scan has a file of its own.
#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/ir/error.h"
#include "compiler/ops/families.h"
#include "compiler/ops/nested.h"
#include "compiler/ops/pieces.h"

namespace atc {
namespace {

// ---- If ----

template <typename Context>
Graph& Branch(Context& ctx, bool truth) {
  const char* name = truth ? "then_branch" : "else_branch";
  Graph* branch = FindNested(ctx.node(), name);
  if (branch == nullptr) ctx.Fail(std::string("its graph '") + name + "' is missing");
  if (NumFormals(*branch) > 0) ctx.Fail(std::string("its graph '") + name + "' has inputs of its own");
  return *branch;
}

// A branch that does not fit the shapes it would get: its types are inferred as if no shape were known, and it fails
// when a run takes it. Models that tell cases apart by their inputs have such branches.
std::vector<TensorDesc> InferWithoutShapes(InferContext& ctx, Graph& branch) {
  std::vector<InferContext::NestedInput> inputs;
  for (const NodeId id : branch.Inputs()) {
    const auto outer = static_cast<size_t>(branch.node(id).attrs.Get<int64_t>("_parent_node_index", 0));
    inputs.push_back(ctx.Given(outer));
    if (inputs.back().desc.dtype != DT_VARIANT) inputs.back().desc.SetShape(Shape::UnknownRank());
    inputs.back().desc.ranges.clear();
    inputs.back().desc.symbols.clear();
    inputs.back().known.partial = nullptr;
  }
  return ctx.infer_graph(branch, inputs, false);
}

// Results of the branch; nothing when it does not fit, and then `why`.
std::optional<std::vector<TensorDesc>> InferBranch(InferContext& ctx, bool truth, std::optional<Error>* why) {
  Graph& branch = Branch(ctx, truth);
  try {
    InferNested(ctx, branch, {}, true);  // what is folded for such shapes would stand in the way afterwards
    return InferNested(ctx, branch, {});
  } catch (const Error& error) {
    *why = error;
  }
  try {
    InferWithoutShapes(ctx, branch);
  } catch (const Error&) {
    throw **why;  // no shapes would help
  }
  return std::nullopt;
}

void InferIf(InferContext& ctx) {
  std::vector<TensorDesc> results;
  if (const Tensor* condition = ctx.Constant(0)) {
    results = InferNested(ctx, Branch(ctx, Truth(*condition)), {});
    // The other branch never runs; often it does not even fit the shapes that made the condition what it is. It is
    // described as far as it goes.
    std::optional<Error> why_not;
    try {
      InferBranch(ctx, !Truth(*condition), &why_not);
    } catch (const Error&) {
    }
  } else {
    std::optional<Error> why_not;
    const auto one = InferBranch(ctx, true, &why_not);
    const auto other = InferBranch(ctx, false, &why_not);
    if (!one && !other) throw *why_not;
    results = one ? *one : *other;
    if (one && other && one->size() != other->size()) {
      ctx.Fail("then_branch has " + std::to_string(one->size()) + " outputs, else_branch " +
               std::to_string(other->size()));
    }
    for (size_t i = 0; one && other && i < results.size(); ++i) {
      results[i] = MergedDesc(ctx, (*one)[i], (*other)[i], "output " + std::to_string(i));
    }
  }
  for (size_t i = 0; i < results.size(); ++i) ctx.SetOutLike(i, results[i]);
}

void IfKernel(KernelContext& ctx) {
  std::vector<Tensor> results = RunNested(ctx, Branch(ctx, Truth(ctx.In(0))), {});
  if (results.size() < ctx.num_outputs()) {
    ctx.Fail("a branch has " + std::to_string(results.size()) + " outputs, the node " +
             std::to_string(ctx.num_outputs()));
  }
  for (size_t i = 0; i < ctx.num_outputs(); ++i) ctx.SetOut(i, std::move(results[i]));
}

// ---- Loop ----

// Inputs of the node before the carried values: trip count and condition; of the body: iteration and condition.
constexpr size_t kBefore = 2;

struct LoopBody {
  Graph* graph;
  size_t carried;
  size_t scanned;
};

template <typename Context>
LoopBody BodyOf(Context& ctx) {
  Graph* graph = FindNested(ctx.node(), "body");
  if (graph == nullptr) ctx.Fail("its graph 'body' is missing");
  const size_t formals = NumFormals(*graph), results = NumResults(*graph);
  if (formals < kBefore || results + 1 < formals || ctx.num_inputs() < formals) {
    ctx.Fail("its body takes " + std::to_string(formals) + " inputs and has " + std::to_string(results) +
             " outputs; it should take an iteration number, a condition and what is carried along, and give a "
             "condition, what is carried along and what is collected");
  }
  return {graph, formals - kBefore, results + 1 - formals};
}

// Iteration number and condition have one element; a body may take them with or without a dim.
Shape ShapeOfFormal(const Graph& body, size_t i) {
  const std::vector<NodeId> data = body.Inputs();
  const Shape& shape = body.desc(body.node(data[i]).outputs[0]).origin_shape;
  return shape.HasRank() && shape.rank() == 1 ? Shape{1} : Shape{};
}

const TensorDesc& DescOfFormal(const Graph& body, size_t i) {
  return body.desc(body.node(body.Inputs()[i]).outputs[0]);
}

const TensorDesc& DescOfResult(const Graph& body, size_t i) { return body.desc(body.NetOutput()->inputs[i]); }

// The condition that the body yields is always true, or what it was given.
bool GoesOn(const Graph& body) {
  ValueId value = body.NetOutput()->inputs[0];
  while (body.producer(value).type() == "Identity") value = body.producer(value).inputs[0];
  if (const Tensor* constant = body.Constant(value)) return !constant->deferred() && Truth(*constant);
  return body.producer(value).id == body.Inputs()[1];
}

// How often the body runs, where that is known.
int64_t KnownTrips(const InferContext& ctx, const Graph& body) {
  const Tensor* condition = ctx.HasInput(1) ? ctx.Constant(1) : nullptr;
  if (condition && !Truth(*condition)) return 0;
  const auto limit = ctx.HasInput(0) ? ctx.KnownInts(0) : std::nullopt;
  if (!limit || limit->size() != 1) return kUnknownDim;
  if ((*limit)[0] <= 0) return 0;
  return (condition || !ctx.HasInput(1)) && GoesOn(body) ? (*limit)[0] : kUnknownDim;
}

void InferLoop(InferContext& ctx) {
  const LoopBody body = BodyOf(ctx);
  const std::vector<InferContext::NestedInput> before = {
      {TensorDesc(DT_INT64, ShapeOfFormal(*body.graph, 0)), {}},
      {TensorDesc(DT_BOOL, ShapeOfFormal(*body.graph, 1)), {}},
  };
  std::vector<TensorDesc> states;
  for (size_t i = 0; i < body.carried; ++i) states.push_back(ctx.In(kBefore + i));
  const std::vector<TensorDesc> results = InferRepeated(ctx, *body.graph, before, states, {}, 1);
  if (results.empty()) return;
  for (size_t i = 0; i < body.carried; ++i) {
    ctx.SetOutLike(i, states[i].optional && !results[1 + i].optional ? results[1 + i] : states[i]);
  }
  const int64_t trips = KnownTrips(ctx, *body.graph);
  for (size_t i = 0; i < body.scanned; ++i) {
    const TensorDesc& one = results[1 + body.carried + i];
    Shape all = one.origin_shape;
    if (all.HasRank()) all.dims().insert(all.dims().begin(), trips);
    ctx.SetOut(body.carried + i, one.dtype, all);
  }
}

// What is collected over no iterations at all: no element of what the body would give, as far as that is known.
Tensor NothingOf(const KernelContext& ctx, const TensorDesc& desc) {
  if (desc.dtype == DT_UNDEFINED) ctx.Fail("the type of what it collects is not known, and its body never ran");
  Shape shape = desc.origin_shape.HasRank() ? desc.origin_shape : Shape{};
  for (int64_t& dim : shape.dims()) dim = std::max<int64_t>(dim, 0);
  shape.dims().insert(shape.dims().begin(), 0);
  return Tensor::Allocate(desc.dtype, shape);
}

Tensor OneElement(DataType dtype, const Shape& shape, int64_t value) {
  if (dtype == DT_BOOL) return Tensor::From<uint8_t>(DT_BOOL, shape, {static_cast<uint8_t>(value)});
  return Tensor::From<int64_t>(DT_INT64, shape, {value});
}

int64_t TripLimit(const KernelContext& ctx) {
  if (!ctx.HasInput(0)) return std::numeric_limits<int64_t>::max();
  const std::vector<int64_t> limit = ToInts(ctx.In(0));
  if (limit.size() != 1) ctx.Fail("its trip count must be one number");
  return limit[0];
}

void LoopKernel(KernelContext& ctx) {
  const LoopBody body = BodyOf(ctx);
  const int64_t limit = TripLimit(ctx);
  bool goes_on = !ctx.HasInput(1) || Truth(ctx.In(1));
  std::vector<Tensor> states;
  for (size_t i = 0; i < body.carried; ++i) states.push_back(ctx.HasInput(kBefore + i) ? ctx.In(kBefore + i) : Tensor());
  // A body may take an optional and give the value itself.
  std::vector<bool> wrap;
  for (size_t i = 0; i < body.carried; ++i) {
    wrap.push_back(DescOfFormal(*body.graph, kBefore + i).optional && !DescOfResult(*body.graph, 1 + i).optional);
  }
  std::vector<std::vector<Tensor>> collected(body.scanned);
  const Shape of_number = ShapeOfFormal(*body.graph, 0), of_condition = ShapeOfFormal(*body.graph, 1);
  int64_t i = 0;
  for (; i < limit && goes_on; ++i) {
    std::vector<Tensor> formals = {OneElement(DT_INT64, of_number, i), OneElement(DT_BOOL, of_condition, 1)};
    for (size_t s = 0; s < states.size(); ++s) {
      formals.push_back(i > 0 && wrap[s] ? AsOptional(states[s]) : std::move(states[s]));
    }
    std::vector<Tensor> results = RunNested(ctx, *body.graph, std::move(formals));
    goes_on = Truth(results[0]);
    for (size_t s = 0; s < states.size(); ++s) states[s] = std::move(results[1 + s]);
    for (size_t c = 0; c < body.scanned; ++c) collected[c].push_back(std::move(results[1 + states.size() + c]));
  }
  for (size_t s = 0; s < std::min(ctx.num_outputs(), states.size()); ++s) {
    ctx.SetOut(s, i == 0 && wrap[s] ? FromOptional(ctx, states[s]) : std::move(states[s]));
  }
  for (size_t c = 0; c < body.scanned && states.size() + c < ctx.num_outputs(); ++c) {
    const size_t out = states.size() + c;
    const std::vector<Tensor>& all = collected[c];
    ctx.SetOut(out, all.empty() ? NothingOf(ctx, DescOfResult(*body.graph, 1 + out)) : Stack(ctx, all, 0));
  }
}

}  // namespace

void RegisterControlFlowOps(OpRegistry& registry) {
  // Graphs then_branch and else_branch, which take nothing but what they capture.
  registry.Add(
      OpDef("If").In("cond").DynIn("input").DynOut("output").On(Unit::kRts).Infer(InferIf).Kernel(IfKernel));
  // Graph body: iteration, condition, carried values -> condition, carried values, collected values. What the body
  // captures follows the carried values.
  registry.Add(OpDef("onnx::Loop")
                   .OptIn("M")
                   .OptIn("cond")
                   .DynIn("v_initial")
                   .DynOut("v_final_and_scan_outputs")
                   .Attr("opset", 1)
                   .On(Unit::kRts)
                   .Infer(InferLoop)
                   .Kernel(LoopKernel));
}

}  // namespace atc
