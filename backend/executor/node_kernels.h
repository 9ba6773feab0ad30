// Fast kernels for models that run operator by operator: each is made when a node is met with certain shapes, and kept.
// Graphs that a node owns run as plans of their own, with streams, where shapes allow.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "backend/executor/nested_plans.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/team_choice.h"
#include "compiler/ops/evaluator.h"

namespace atc {

class NodeKernels : public NodeRunner {
 public:
  // `model` outlives it.
  NodeKernels(const OmModel& model, const LoadOptions& options);
  ~NodeKernels() override;

  const EvaluationOrder& OrderOf(const Graph& graph) override;
  std::optional<std::vector<Tensor>> Run(const Graph& graph, const Node& node,
                                         const std::vector<Tensor>& inputs) override;
  void Saw(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
           const std::vector<Tensor>& outputs) override;
  std::optional<std::vector<Tensor>> RunGraph(const Graph& graph, const std::vector<Tensor>& inputs) override {
    return nested_.Run(graph, inputs);
  }
  // Plans the branches of `node`, of `graph`, ahead of its first run.
  void PrepareBranches(const Graph& graph, const Node& node);
  // Memory that the plans hold.
  uint64_t bytes() const { return nested_.bytes(); }

 private:
  // Of one node, for inputs of these shapes; without a kernel where the reference kernel serves.
  struct Entry {
    std::vector<Shape> shapes;
    std::vector<DataType> types;
    std::vector<Tensor> constants;
    std::vector<kernels::Port> outputs;
    std::unique_ptr<kernels::Kernel> kernel;
    int threads = 1;
    kernels::TeamChoice::Times times;
  };
  static bool Fits(const Entry& entry, const std::vector<Tensor>& inputs);

  int cores_;
  kernels::TeamChoice team_choice_;
  std::shared_ptr<kernels::PreparedConstants> prepared_;
  std::unordered_map<const Node*, std::vector<Entry>> entries_;  // looked up, never walked
  std::unordered_map<const Graph*, EvaluationOrder> orders_;     // likewise
  Buffer scratch_;
  NestedPlans nested_;
};

}  // namespace atc
