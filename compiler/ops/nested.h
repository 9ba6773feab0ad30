// Operators that own graphs: what goes into a nested graph, and what is known of a value that takes several forms.
#pragma once

#include <vector>

#include "compiler/ir/infer_context.h"
#include "compiler/ir/kernel_context.h"

namespace atc {

// Inputs of a nested graph are first its formal ones, which the operator gives, then what it captures: a Data with attr
// "_parent_node_index", the number of the owner's input.
size_t NumFormals(const Graph& graph);
// What the nested graph yields.
size_t NumResults(const Graph& graph);
// The nested graph of this name; nullptr when there is none.
Graph* FindNested(const Node& node, Name name);

// The branch of a Case: graph "branches<index>", the last one for an index outside of their number; nullptr where there is none.
Graph* CaseBranch(const Node& node, int64_t index);

// Descs of the results, given the formal inputs; empty where inference of graphs is not to be had. Fails when their
// number is not that of the graph. `trial` as in InferContext::infer_graph.
std::vector<TensorDesc> InferNested(InferContext& ctx, Graph& graph, std::vector<InferContext::NestedInput> formals,
                                    bool trial = false);

// A graph that runs again and again, each time on the `states` that the time before yielded: its formal inputs are
// `before`, the states and `after`; its results are `skip` others, the states, and the rest. Widens `states` until they
// hold for every run, then infers the graph for good. Returns the descs of all results; empty as above.
std::vector<TensorDesc> InferRepeated(InferContext& ctx, Graph& graph,
                                      const std::vector<InferContext::NestedInput>& before,
                                      std::vector<TensorDesc>& states,
                                      const std::vector<InferContext::NestedInput>& after, size_t skip);

// Evaluates the nested graph. Fails when the number of formal inputs is not that of the graph.
std::vector<Tensor> RunNested(const KernelContext& ctx, const Graph& graph, std::vector<Tensor> formals);

// What holds for a value that is one or the other: dims that differ are unknown. False when the element types differ;
// an undefined type takes the other one.
bool MergeDescs(const TensorDesc& a, const TensorDesc& b, TensorDesc* out);
// Fails when the element types differ; `what` names the value.
TensorDesc MergedDesc(const InferContext& ctx, const TensorDesc& a, const TensorDesc& b, const std::string& what);

// A value that a graph takes as an optional but that is given as itself becomes the optional's element.
TensorDesc AsOptional(const TensorDesc& desc);
Tensor AsOptional(const Tensor& tensor);
// The value of an optional. Fails when it has none.
Tensor FromOptional(const KernelContext& ctx, const Tensor& optional);

// The truth of a condition as GE has it: one number is true when it is not zero, a tensor of another shape when it has
// elements.
bool Truth(const Tensor& condition);

}  // namespace atc
