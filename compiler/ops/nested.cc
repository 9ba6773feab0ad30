#include "compiler/ops/nested.h"

#include "compiler/ir/error.h"

namespace atc {
namespace {

const int64_t* ParentInput(const Graph& graph, NodeId data) {
  return graph.node(data).attrs.FindAs<int64_t>("_parent_node_index");
}

// The formal inputs with what is captured behind them; `given(i)` is input i of the owner.
template <typename T, typename Context, typename Given>
std::vector<T> AllInputs(const Context& ctx, const Graph& graph, std::vector<T> formals, Given&& given) {
  std::vector<T> inputs;
  size_t next = 0;
  for (const NodeId id : graph.Inputs()) {
    if (const int64_t* outer = ParentInput(graph, id)) {
      if (*outer < 0 || static_cast<size_t>(*outer) >= ctx.num_inputs()) {
        ctx.Fail("'" + graph.node(id).name + "' stands for input " + std::to_string(*outer) + ", which is not there");
      }
      inputs.push_back(given(static_cast<size_t>(*outer)));
    } else if (next < formals.size()) {
      inputs.push_back(std::move(formals[next++]));
    } else {
      ++next;
    }
  }
  if (next != formals.size()) {
    ctx.Fail("its graph '" + graph.name + "' takes " + std::to_string(next) + " inputs, the operator gives it " +
             std::to_string(formals.size()));
  }
  return inputs;
}

bool SameDesc(const TensorDesc& a, const TensorDesc& b) {
  if (a.dtype != b.dtype || a.origin_shape != b.origin_shape || a.optional != b.optional) return false;
  if (a.element == nullptr || b.element == nullptr) return a.element == b.element;
  return SameDesc(*a.element, *b.element);
}

}  // namespace

size_t NumFormals(const Graph& graph) {
  size_t formals = 0;
  for (const NodeId id : graph.Inputs()) formals += ParentInput(graph, id) == nullptr ? 1 : 0;
  return formals;
}

size_t NumResults(const Graph& graph) {
  const Node* net_output = graph.NetOutput();
  return net_output ? net_output->inputs.size() : 0;
}

Graph* FindNested(const Node& node, Name name) {
  for (const Subgraph& nested : node.subgraphs) {
    if (nested.name == name) return nested.graph.get();
  }
  return nullptr;
}

Graph* CaseBranch(const Node& node, int64_t index) {
  Graph* last = nullptr;
  for (int64_t i = 0;; ++i) {
    Graph* branch = FindNested(node, "branches" + std::to_string(i));
    if (branch == nullptr) return last;
    if (i == index) return branch;
    last = branch;
  }
}

std::vector<TensorDesc> InferNested(InferContext& ctx, Graph& graph, std::vector<InferContext::NestedInput> formals,
                                    bool trial) {
  if (!ctx.infer_graph) return {};
  return ctx.infer_graph(
      graph, AllInputs(ctx, graph, std::move(formals), [&](size_t i) { return ctx.Given(i); }), trial);
}

std::vector<TensorDesc> InferRepeated(InferContext& ctx, Graph& graph,
                                      const std::vector<InferContext::NestedInput>& before,
                                      std::vector<TensorDesc>& states,
                                      const std::vector<InferContext::NestedInput>& after, size_t skip) {
  // Each round but the last makes a dim or a rank unknown.
  for (bool settled = false;;) {
    std::vector<InferContext::NestedInput> formals = before;
    for (const TensorDesc& state : states) formals.push_back({state, {}});
    formals.insert(formals.end(), after.begin(), after.end());
    std::vector<TensorDesc> results = InferNested(ctx, graph, std::move(formals), !settled);
    if (settled || results.empty()) return results;
    if (results.size() < skip + states.size()) {
      ctx.Fail("its graph '" + graph.name + "' has " + std::to_string(results.size()) + " outputs, " +
               std::to_string(skip + states.size()) + " or more are needed");
    }
    settled = true;
    for (size_t i = 0; i < states.size(); ++i) {
      TensorDesc result = std::move(results[skip + i]);
      if (states[i].optional && !result.optional) result = AsOptional(result);
      TensorDesc wider = MergedDesc(ctx, states[i], result, "value " + std::to_string(i) + " that it carries along");
      settled &= SameDesc(wider, states[i]);
      states[i] = std::move(wider);
    }
  }
}

std::vector<Tensor> RunNested(const KernelContext& ctx, const Graph& graph, std::vector<Tensor> formals) {
  return ctx.Run(graph, AllInputs(ctx, graph, std::move(formals),
                                  [&](size_t i) { return ctx.HasInput(i) ? ctx.In(i) : Tensor(); }));
}

bool MergeDescs(const TensorDesc& a, const TensorDesc& b, TensorDesc* out) {
  if (a.dtype == DT_UNDEFINED || b.dtype == DT_UNDEFINED) {
    *out = a.dtype == DT_UNDEFINED ? b : a;
    return true;
  }
  if (a.dtype != b.dtype) return false;
  Shape shape = a.origin_shape;
  if (!shape.HasRank() || !b.origin_shape.HasRank() || shape.rank() != b.origin_shape.rank()) {
    shape = Shape::UnknownRank();
  } else {
    for (size_t i = 0; i < shape.rank(); ++i) {
      if (shape[i] != b.origin_shape[i]) shape[i] = kUnknownDim;
    }
  }
  TensorDesc merged(a.dtype, std::move(shape), a.origin_format);
  if (a.symbols == b.symbols && a.symbols.size() == merged.origin_shape.rank()) merged.symbols = a.symbols;
  merged.optional = a.optional || b.optional;
  if (a.element && b.element) {
    TensorDesc element;
    if (!MergeDescs(*a.element, *b.element, &element)) return false;
    merged.element = std::make_shared<const TensorDesc>(std::move(element));
  } else {
    merged.element = a.element ? a.element : b.element;
  }
  *out = std::move(merged);
  return true;
}

TensorDesc MergedDesc(const InferContext& ctx, const TensorDesc& a, const TensorDesc& b, const std::string& what) {
  TensorDesc merged;
  if (!MergeDescs(a, b, &merged)) {
    ctx.Fail(what + " is " + std::string(DataTypeName(a.dtype)) + " one time and " +
             std::string(DataTypeName(b.dtype)) + " another; its type may not change");
  }
  return merged;
}

TensorDesc AsOptional(const TensorDesc& desc) {
  TensorDesc optional(DT_VARIANT, {1});
  optional.optional = true;
  optional.element = std::make_shared<const TensorDesc>(desc);
  return optional;
}

Tensor AsOptional(const Tensor& tensor) { return Tensor::From<Tensor>(DT_VARIANT, {1}, {tensor}); }

Tensor FromOptional(const KernelContext& ctx, const Tensor& optional) {
  if (optional.dtype() != DT_VARIANT || optional.NumElements() != 1) ctx.Fail("the optional has no value");
  return *optional.Data<Tensor>();
}

bool Truth(const Tensor& condition) {
  if (condition.NumElements() != 1) return condition.NumElements() > 0;
  if (condition.dtype() == DT_STRING) return !condition.Data<std::string>()->empty();
  if (condition.dtype() == DT_VARIANT) return true;
  const std::vector<double> value = ToDoubles(condition);
  return !value.empty() && value[0] != 0;
}

}  // namespace atc
