// A model of known shapes: every task prepared at load, one arena at planned offsets, streams as queues that the cores of
// the budget serve.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/executor/bindings.h"
#include "backend/executor/events.h"
#include "backend/executor/held_constants.h"
#include "backend/executor/model.h"
#include "backend/executor/node_kernels.h"
#include "backend/executor/observe.h"
#include "backend/executor/pages.h"
#include "backend/executor/profile.h"
#include "backend/executor/schedule.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/team_choice.h"
#include "backend/runtime/stream.h"
#include "compiler/om/om_model.h"

namespace atc {

// What models of which one runs at a time have in common: while they are made, prepared constants; then memory.
struct Siblings {
  std::shared_ptr<kernels::PreparedConstants> prepared = kernels::MakePreparedConstants();
  Buffer wide_arena;
  std::vector<Buffer> scratch;
};

class StaticModel : public LoadedModel {
 public:
  // Checks the plan in `model` (offsets within the memory, streams, events) and prepares it. Throws Error.
  StaticModel(OmModel model, const LoadOptions& options);
  ~StaticModel() override;

  const ModelInfo& info() const override { return info_; }
  void Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) override;
  void SetProfile(RunProfile* profile) override;
  void SetObserver(NodeObserver observer) override { observer_ = std::move(observer); }
  // The same with memory for every output given.
  void Run(std::span<const TensorView> inputs, std::span<TensorView> outputs);

 private:
  struct Step {
    TaskType type = TaskType::kKernel;
    size_t event = 0;
    int threads = 1;  // of the team that the kernel was made for
    kernels::TeamChoice::Times times;
    std::unique_ptr<kernels::Kernel> kernel;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    std::unique_ptr<NodeKernels> nested;  // of the graphs that the node owns
    std::byte* workspace = nullptr;       // planned for the task, instead of the lane's scratch
  };

  // Memory of the caller's; of an input `output` is SIZE_MAX.
  struct Range {
    const std::byte* begin;
    const std::byte* end;
    size_t output;
  };

  void TakeMemory(const LoadOptions& options);
  void FindPlaces();
  void OrderTasks();
  void StartsToEvents();
  void WidenPlaces();
  Pages PagesOf(bool wide) const;
  std::vector<size_t> ByConstants() const;
  void Prepare();
  template <typename Visit>
  void ForInputs(size_t step, const Visit& visit) const;
  void PrepareStep(size_t step, int threads, kernels::PreparedConstants* prepared);
  kernels::Port MakePort(ValueId value) const;
  // Of a constant its bytes, where they are held.
  std::byte* Address(ValueId value) const {
    return constants_[value].defined() ? const_cast<std::byte*>(constants_[value].Data()) : places_[value];
  }
  std::byte* FindWorkspace(const Node& node, size_t bytes) const;
  void BindInterface();
  void TakeInputs(std::span<const TensorView> inputs);
  // Sets, by output, whether tasks write it where the caller wants it.
  void PlaceOutputs(std::span<const TensorView> inputs, std::span<TensorView> outputs);
  void MakeRoom(std::span<TensorView> outputs, runtime::Stream& stream);
  bool RunStep(size_t step, size_t lane);
  void TellInputs(size_t step);
  void TellOutputs(size_t step);
  void Tell(size_t step, bool input, size_t port, ValueId value, const void* from);
  void RunLane(const std::vector<uint32_t>& steps, size_t lane);
  void RunTogether(size_t phase);
  void RunPhase(size_t phase);
  void Fail(std::exception_ptr error);

  OmModel model_;
  ModelInfo info_;
  LoadOptions options_;
  runtime::Device* device_;
  int cores_;
  uint64_t own_bytes_ = 0;  // of memory, without that of nested graphs
  size_t num_events_ = 0;   // those of the plan, and one for each StreamActive
  std::byte* arena_ = nullptr;
  bool owns_arena_ = false;
  std::vector<std::byte*> places_;  // by value, in the arena; nullptr where it has none
  std::vector<bool> wide_;          // by value: FindWideValues
  Buffer wide_arena_;               // of those: twice as large as the arena, each place twice as far in it
  uint64_t shared_bytes_ = 0;       // of it, that another model accounts for
  HeldConstants constants_;
  std::vector<bool> computed_;  // by node: run once, at load
  std::vector<Step> steps_;     // in the order of model_.tasks, which is one they can run in
  std::vector<Phase> phases_;
  kernels::TeamChoice team_choice_;
  std::vector<kernels::TeamChoice::Times> phase_times_;  // of those whose lanes run together
  std::vector<Binding> inputs_, outputs_;                // of the model
  std::vector<Range> ranges_;                            // of this run
  std::vector<bool> placed_;                             // of this run, by output
  std::vector<Buffer> scratch_;                          // by lane
  std::unique_ptr<RunEvents> events_;
  std::mutex error_mutex_;
  std::exception_ptr error_;
  RunProfile* profile_ = nullptr;
  uint32_t profiled_from_ = 0;                // of its tasks the first one of this model
  std::vector<std::vector<TaskSpan>> spans_;  // of this run, by lane
  NodeObserver observer_;
  std::mutex observer_mutex_;
};

}  // namespace atc
