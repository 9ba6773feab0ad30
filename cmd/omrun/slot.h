// One place where runs take turns: a copy of the model with device memory for its inputs and outputs, and a stream.
#pragma once

#include <string>
#include <vector>

#include "cmd/omrun/model.h"

namespace atc::omrun {

// When the parts of one run began and ended, in nanoseconds of CLOCK_MONOTONIC; equal where a part did not take place.
struct RunTimes {
  uint64_t start_h2d = 0, end_h2d = 0;          // copies of inputs to the device
  uint64_t start_enqueue = 0, end_enqueue = 0;  // the call that starts the run
  uint64_t start_compute = 0, end_compute = 0;
  uint64_t start_d2h = 0, end_d2h = 0;          // copies of outputs to the host

  static double Ms(uint64_t start, uint64_t end) { return static_cast<double>(end - start) / 1e6; }
  double h2d_ms() const { return Ms(start_h2d, end_h2d); }
  double compute_ms() const { return Ms(start_compute, end_compute); }
  double d2h_ms() const { return Ms(start_d2h, end_d2h); }
};

struct SlotOptions {
  std::vector<uint64_t> output_sizes;  // by output; none: what the model says
  GearChoice gear;
  bool gear_auto = false;  // that of the inputs, each time
  bool stream = false;  // runs go through a stream of the slot's own, and Launch does not wait
  bool spin = false;
  int32_t timeout_ms = 0;  // 0: none
};

class Slot {
 public:
  // Throws RunError, also for a stream on a device that has none.
  Slot(Model& model, const SlotOptions& options);
  ~Slot();
  Slot(const Slot&) = delete;

  // The signature under the gear that is chosen.
  const Signature& signature() const { return signature_; }
  Model& model() { return model_; }

  // Copies one tensor for each input to the device; shapes and types have been checked. Their host memory may go.
  void SetInputs(const std::vector<Tensor>& inputs);
  // Starts a run; without a stream, and where an output's memory can only be taken by the device, it is over then.
  void Launch();
  // Waits for its end. Throws RunError where it failed or took too long.
  void Finish();
  // Copies the outputs of the last run to the host.
  std::vector<Tensor> Outputs();

  // Of the last run.
  const RunTimes& times() const { return times_; }
  // Forgets the copies, which the next run does not make again.
  void ForgetCopies() { times_ = {}; }

 private:
  struct Buffer;

  void PrepareOutputs();
  void PrepareGear();
  void ChooseGear();
  void FreeTaken();
  Dims OutputDims(size_t index) const;
  void Release() noexcept;

  Model& model_;
  const Backend& acl_;
  HostCalls& calls_;
  SlotOptions options_;
  Signature signature_;
  Dims gear_;  // as chosen
  aclmdlDataset *input_set_ = nullptr, *output_set_ = nullptr;
  std::vector<Buffer> inputs_, outputs_;
  aclrtStream stream_ = nullptr;
  aclrtEvent begin_ = nullptr, end_ = nullptr;
  bool may_enqueue_ = false;  // every output has memory
  bool in_flight_ = false;
  RunTimes times_;
};

}  // namespace atc::omrun
