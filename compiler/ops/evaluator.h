// The reference evaluator: the plain kernels over a graph as it stands at any stage. It folds constants, judges every
// pass, precision choice and fast kernel, and runs the backend tests before any device exists.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/kernel_context.h"

namespace atc {

// In which order a graph is evaluated, and how often each of its values is read.
struct EvaluationOrder {
  explicit EvaluationOrder(const Graph& graph);
  std::vector<NodeId> nodes;
  std::vector<NodeId> inputs;
  std::vector<uint32_t> reads;  // by value
};

// Another way to run nodes than by their reference kernels.
class NodeRunner {
 public:
  virtual ~NodeRunner() = default;
  // Kept from evaluation to evaluation.
  virtual const EvaluationOrder& OrderOf(const Graph& graph) = 0;
  // What `node` of `graph` makes of `inputs`, or nothing where this runner does not serve it (then it may look on, in
  // Saw). Called for nodes of nested graphs as well.
  virtual std::optional<std::vector<Tensor>> Run(const Graph& graph, const Node& node,
                                                 const std::vector<Tensor>& inputs) = 0;
  // What the reference kernel made of them.
  virtual void Saw(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
                   const std::vector<Tensor>& outputs) = 0;
  // What a nested graph makes of `inputs`, or nothing where its nodes are to be run one by one.
  virtual std::optional<std::vector<Tensor>> RunGraph(const Graph& graph, const std::vector<Tensor>& inputs) = 0;
};

// Runs one node's reference kernel. Half inputs of operators with kWidenHalf are widened to float, and of their float
// outputs those are narrowed, rounding once, that `types` (by output; DT_UNDEFINED or beyond its end: what inference
// says for these inputs) gives a half type. A fused node evaluates the graph it stands for, in float inside; where that
// holds a quantised product (quantized_product.h) it is taken exactly.
// `inputs` in definition order, undefined where absent. `allocate` may be empty; `kept` is nullptr where the node runs
// once (KernelContext::Keep); `runner` serves graphs that the node owns.
// Throws Error E19999 when the node has no kernel or the data do not fit.
std::vector<Tensor> RunReferenceKernel(const Node& node, std::vector<Tensor> inputs,
                                       KernelContext::Allocator allocate = {}, std::vector<DataType> types = {},
                                       KernelContext::Kept* kept = nullptr, NodeRunner* runner = nullptr);

struct EvaluateOptions {
  // Called after each node with its outputs.
  std::function<void(const Graph&, const Node&, const std::vector<Tensor>&)> observe;
  // A node that is not run: its only output is `given_result`.
  const Node* given = nullptr;
  Tensor given_result;
  // What nodes keep from evaluation to evaluation of this graph, by node id; nullptr: nothing.
  std::vector<KernelContext::Kept>* kept = nullptr;
  NodeRunner* runner = nullptr;
};

// Evaluates `graph` on `inputs`, which are given in the order of Graph::Inputs(). Returns what NetOutput receives, in
// order. Tensors are freed after their last use.
std::vector<Tensor> Evaluate(const Graph& graph, std::vector<Tensor> inputs, const EvaluateOptions& options = {});

// `tensor` as float when it is fp16 or bf16, else itself.
Tensor Widen(const Tensor& tensor);
// A float tensor rounded to `dtype` (fp16, bf16 or float).
Tensor Narrow(const Tensor& tensor, DataType dtype);

}  // namespace atc
