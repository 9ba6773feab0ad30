// A model whose shapes are known only when it runs.
#pragma once

#include <list>
#include <vector>

#include "backend/executor/model.h"
#include "backend/executor/node_kernels.h"
#include "backend/executor/observe.h"
#include "backend/executor/profile.h"
#include "backend/executor/static_model.h"
#include "compiler/ir/kernel_context.h"
#include "compiler/om/om_model.h"

namespace atc {

// For input shapes under which inference can tell every other shape, a plan is made as for a static model and kept: a
// repeated input shape finds it again, in a bounded cache. Where shapes depend on data (NonZero, control flow, ...) the
// model runs operator by operator.
class DynamicModel : public LoadedModel {
 public:
  DynamicModel(OmModel model, const LoadOptions& options);

  const ModelInfo& info() const override { return info_; }
  void Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) override;
  void SetProfile(RunProfile* profile) override;
  void SetObserver(NodeObserver observer) override;

  // Plans that the cache holds; the least recently used one goes first.
  static constexpr size_t kMaxPlans = 16;
  size_t num_plans() const { return plans_.size(); }

 private:
  struct Plan {
    std::vector<Shape> inputs;
    std::unique_ptr<StaticModel> model;  // nullptr: these shapes have no static plan
    const RunProfile* profile = nullptr;  // that it adds to
    bool observed = false;                // by observer_
  };

  StaticModel* FindPlan(std::vector<Shape> shapes);
  void RunByOperator(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream);
  std::vector<Tensor> EvaluateAll(std::vector<Tensor> arguments);
  void AddSpan(const Node& node, uint64_t start, uint64_t end);
  void Tell(const Node& node, const std::vector<Tensor>& outputs);

  OmModel model_;
  ModelInfo info_;
  LoadOptions options_;
  RunProfile* profile_ = nullptr;
  std::vector<uint32_t> profiled_as_;  // by node: its number in the profile; kNoId: none yet
  NodeObserver observer_;
  uint32_t position_ = 0;  // of the node that runs, among those with a task
  std::vector<KernelContext::Kept> kept_;  // by node id, of runs operator by operator
  NodeKernels kernels_;                    // of those runs
  std::list<Plan> plans_;  // most recently used first
};

}  // namespace atc
