// A model of known shapes: every task prepared at load, one arena at planned offsets, streams as threads.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/executor/events.h"
#include "backend/executor/model.h"
#include "backend/kernels/kernel.h"
#include "backend/runtime/stream.h"
#include "compiler/om/om_model.h"

namespace atc {

class StaticModel : public LoadedModel {
 public:
  // Checks the plan in `model` (offsets within the memory, streams, events) and prepares it. Throws Error.
  StaticModel(OmModel model, const LoadOptions& options);
  ~StaticModel() override;

  const ModelInfo& info() const override { return info_; }
  void Execute(std::span<const TensorView> inputs, std::span<TensorView> outputs, runtime::Stream& stream) override;

 private:
  struct Step {
    TaskType type = TaskType::kKernel;
    size_t event = 0;
    const Node* node = nullptr;
    std::unique_ptr<kernels::Kernel> kernel;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
  };

  void TakeMemory(const LoadOptions& options);
  void FindPlaces();
  void Prepare();
  kernels::Port MakePort(ValueId value) const;
  std::byte* Address(ValueId value) const { return places_[value]; }
  void RunSteps(size_t stream);
  void Fail(std::exception_ptr error);

  OmModel model_;
  ModelInfo info_;
  runtime::Device* device_;
  int threads_;  // of each stream
  std::byte* arena_ = nullptr;
  bool owns_arena_ = false;
  std::vector<std::byte*> places_;                        // by value; nullptr where it has none
  std::vector<Tensor> constants_;                         // by value; undefined where it is none
  std::vector<std::vector<Step>> steps_;                  // by stream
  std::vector<Buffer> scratch_;                           // by stream
  std::vector<std::unique_ptr<runtime::Stream>> others_;  // streams of the plan beyond the first
  std::unique_ptr<RunEvents> events_;
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace atc
