// The part that all oneDNN kernels share: widened inputs, one primitive, what follows it, a narrowed output.
#pragma once

#include <string>
#include <unordered_map>

#include "backend/kernels/kernel.h"
#include "backend/kernels/onednn/engine.h"
#include "backend/kernels/onednn/fused_tail.h"

namespace atc::kernels {

class PrimitiveKernel : public Kernel {
 public:
  // One float argument of the primitive that a run provides.
  struct Argument {
    int dnnl_arg;
    int port;
    DataType dtype;
    size_t count;
    dnnl::memory memory;
    size_t scratch_at = 0;  // where the widened copy goes, for half types
  };

  PrimitiveKernel(const KernelSpec& spec, HeavyParts parts) : parts_(std::move(parts)), threads_(spec.threads), prepared_(spec.prepared) {
    out_dtype_ = spec.outputs[0].dtype;
    out_count_ = spec.outputs[0].shape.NumElements();
  }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override;
  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t prepared_bytes() const override { return prepared_bytes_; }

  // ---- while making ----
  void AddInput(const KernelSpec& spec, int dnnl_arg, int port, const dnnl::memory::desc& desc);
  // A constant as float, in the layout `wanted`; `plain` says how it lies in the om.
  void AddConstant(int dnnl_arg, const Tensor& constant, const dnnl::memory::desc& plain,
                   const dnnl::memory::desc& wanted);
  // Fixes the primitive; `output` is the float result, `scratchpad` what the primitive asks for.
  void Finish(dnnl::primitive primitive, const dnnl::memory::desc& output, const dnnl::memory::desc& scratchpad);
  HeavyParts& parts() { return parts_; }

 private:
  size_t Reserve(size_t bytes);

  HeavyParts parts_;
  int threads_;
  PreparedConstants* prepared_;  // while making
  DataType out_dtype_;
  size_t out_count_;
  std::vector<Argument> arguments_;
  dnnl::primitive primitive_;
  dnnl::memory output_;
  dnnl::memory scratchpad_;
  size_t scratchpad_at_ = 0;
  size_t result_at_ = 0;      // of the float result when the output is of a half type or a tail follows
  bool result_in_scratch_ = false;
  size_t scratch_bytes_ = 0;
  size_t prepared_bytes_ = 0;
  std::unordered_map<int, dnnl::memory> bound_;  // looked up by oneDNN, never walked
};

}  // namespace atc::kernels
