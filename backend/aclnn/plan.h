// A graph of one operator call, prepared to run any number of times on addresses of its tensors.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/aclnn/builder.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/team_choice.h"
#include "compiler/ir/graph.h"

namespace atc::aclnn {

class Plan {
 public:
  // `through`: outputs (by tensor) that share memory with an input, so that they are written when all has been read.
  // Throws Error where a kernel cannot be made.
  Plan(std::unique_ptr<Graph> graph, const std::vector<TensorRef>& tensors, std::vector<OutputBinding> outputs,
       const std::vector<bool>& through, int cores);

  uint64_t workspace_bytes() const { return workspace_bytes_; }
  // Some output's shape is told by a run alone.
  bool dynamic() const { return dynamic_; }
  // Tensors that a run reads or writes.
  const std::vector<bool>& used() const { return used_; }

  // `addresses`: the start of each tensor's storage. Runs of one plan follow each other. `shapes` receives the shapes of
  // the outputs when dynamic. Throws Error for what only values tell (an index out of range, too little room).
  void Run(std::span<void* const> addresses, std::byte* workspace, std::vector<Shape>* shapes);

  const std::vector<OutputBinding>& outputs() const { return outputs_; }

 private:
  // Where a value lies during a run.
  struct Place {
    enum Kind { kNone, kTensor, kWorkspace, kConstant } kind = kNone;
    size_t at = 0;  // tensor, or offset in the workspace
    const void* constant = nullptr;
  };
  struct Step {
    enum Kind { kGather, kKernel, kScatter } kind = kKernel;
    std::unique_ptr<kernels::Kernel> kernel;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
    size_t tensor = 0;          // of a copy
    size_t scratch_offset = 0;  // in the workspace
    size_t scratch_bytes = 0;
    int threads = 1;
    kernels::TeamChoice::Times times;
  };

  void Prepare(const std::vector<bool>& through, int cores);
  void PlaceValues(const std::vector<bool>& through);
  void MakeKernels(int cores);
  void PlanWorkspace();
  void RunDynamic(std::span<void* const> addresses, std::vector<Shape>* shapes);
  ValueId Root(ValueId id) const;

  std::unique_ptr<Graph> graph_;
  std::vector<View> views_;
  std::vector<OutputBinding> outputs_;
  bool dynamic_ = false;
  std::vector<bool> used_;
  std::vector<Place> places_;           // by value
  std::vector<ValueId> alias_of_;       // by value: what only reshapes lies where its input does
  std::vector<atc::Tensor> constants_;  // by value
  std::vector<Step> steps_;
  kernels::TeamChoice team_choice_{1};
  uint64_t workspace_bytes_ = 0;
  std::mutex run_;
};

}  // namespace atc::aclnn
