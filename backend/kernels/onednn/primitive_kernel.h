// The part that all oneDNN kernels share: widened inputs, one primitive, what follows it, a narrowed output.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/kernels/heavy_parts.h"
#include "backend/kernels/kernel.h"
#include "backend/kernels/layout.h"
#include "backend/kernels/onednn/engine.h"
#include "backend/kernels/onednn/post_ops.h"
#include "backend/kernels/result_type.h"

namespace atc::kernels {

// A primitive and what it asks for as its scratchpad.
struct MadePrimitive {
  dnnl::primitive primitive;
  dnnl::memory::desc scratchpad;
};

class PrimitiveKernel : public Kernel {
 public:
  // One float argument of the primitive that a run provides.
  struct Argument {
    int dnnl_arg;
    int port;
    DataType dtype;
    size_t count;
    dnnl::memory memory;
    size_t scratch_at = 0;                 // where the widened copy goes, for half types
    std::optional<StridedCopy> turn = {};  // the primitive takes it channels-last, it comes as N, C, ...
    size_t turned_at = 0;
  };

  PrimitiveKernel(const KernelSpec& spec, HeavyParts parts)
      : parts_(std::move(parts)), threads_(spec.threads), prepared_(spec.prepared), out_type_(spec.outputs[0]) {
    out_count_ = spec.outputs[0].shape.NumElements();
  }

  void Run(const void* const* inputs, void* const* outputs, std::byte* scratch) override;
  bool RoundsOutputs() const override { return true; }
  size_t scratch_bytes() const override { return scratch_bytes_; }
  size_t prepared_bytes() const override { return prepared_bytes_; }
  bool Reads(size_t port) const override {
    return std::find(own_ports_.begin(), own_ports_.end(), port) == own_ports_.end();
  }

  // ---- while making ----
  void AddInput(const KernelSpec& spec, int dnnl_arg, int port, const dnnl::memory::desc& desc, bool turned = false);
  // A constant as float, in the layout `wanted`; `plain` says how it lies in the om.
  void AddConstant(const KernelSpec& spec, int dnnl_arg, int port, const dnnl::memory::desc& plain,
                   const dnnl::memory::desc& wanted);
  // What `post` reads. Where it loses NaN, a run that meets one takes the primitive without it and then the tail's own
  // code.
  void AddOperands(const KernelSpec& spec, const PostOps& post);
  // A run that meets NaN is left to the reference kernel.
  void LeaveNan(const KernelSpec& spec);
  // The primitive gives its result channels-last, the kernel N, C, ... of this shape. Before Finish.
  void TurnResult(const Shape& shape) { turn_ = ChannelsToFirst(shape, sizeof(float)); }
  // Fixes the primitive; `output` is the float result. `again` makes one for the same layouts and for as many threads as
  // the caller has then: a primitive made for a team must not run without it. With `plain` it has no post-operations.
  void Finish(MadePrimitive made, const dnnl::memory::desc& output, std::function<MadePrimitive(bool plain)> again);
  // Each of the results is one of the numbers that come in, rounded as they are.
  void KeepNumbers() { out_type_.rounded = DT_UNDEFINED; }
  HeavyParts& parts() { return parts_; }

 private:
  // The primitive for one number of threads, with post-operations or plain; all but the usual one are made when they are
  // asked for first: few runs ever meet NaN, or other programs on the cores.
  struct Form {
    bool tried = false;
    std::optional<MadePrimitive> made = {};
    dnnl::memory scratchpad = {};
    Buffer bytes = {};  // of the scratchpad, where it is not the caller's
  };

  size_t Reserve(size_t bytes);
  // nullptr where oneDNN has none that serves.
  Form* FormFor(bool alone, bool plain);
  bool Execute(bool plain, std::byte* scratch);
  bool ExecuteWatched(std::byte* scratch);
  bool HasNan(const float* data, size_t count) const;

  HeavyParts parts_;
  int threads_;
  PreparedConstants* prepared_;  // while making
  ResultType out_type_;
  size_t out_count_;
  std::vector<Argument> arguments_;
  std::vector<size_t> own_ports_;                       // constants that are prepared
  std::vector<std::shared_ptr<const std::byte>> kept_;  // their bytes
  Form forms_[2][2];                                    // with a team, alone; with post-operations, plain
  std::function<MadePrimitive(bool)> again_;
  std::unique_ptr<ElementwiseProgram> nan_tail_;  // instead of post-operations that lose NaN
  std::unique_ptr<Kernel> nan_kernel_;            // instead of a primitive that does
  int false_alarms_ = 0;
  dnnl::memory output_;
  size_t scratchpad_at_ = 0;
  size_t result_at_ = 0;  // of the float result when the output is of a half type or a tail follows
  bool result_in_scratch_ = false;
  std::optional<StridedCopy> turn_;
  size_t turned_at_ = 0;  // of the result before it is turned
  size_t scratch_bytes_ = 0;
  size_t prepared_bytes_ = 0;
  std::vector<dnnl::memory> constants_;  // of which bound_ has the handles, as of all others
  std::vector<dnnl_exec_arg_t> bound_;   // the scratchpad comes last
};

template <typename Primitive>
MadePrimitive Made(const typename Primitive::primitive_desc& desc) {
  return {Primitive(desc), desc.scratchpad_desc()};
}

// What makes a primitive as `desc` says again, by describe(attributes). Only oneDNN's same way to do it will do: its
// results are the same.
template <typename Primitive, typename Describe>
std::function<MadePrimitive(bool)> MakesAgain(const typename Primitive::primitive_desc& desc, const PostOps& post,
                                              Describe describe) {
  return [describe, ops = post.ops, name = std::string(desc.impl_info_str())](bool plain) {
    dnnl::primitive_attr attr = Attributes();
    if (!plain) attr.set_post_ops(ops);
    const typename Primitive::primitive_desc again = describe(attr);
    if (!plain && again.impl_info_str() != name) throw dnnl::error(dnnl_unimplemented, "only another way");
    return Made<Primitive>(again);
  };
}

// What `describe` makes of attributes with `post`; where those do not fit, or oneDNN has only plain loops for them,
// `post` is emptied and parts.tail takes their place. Nothing where the tail has no fast way at all.
template <typename Describe>
auto DescribeWithTail(const KernelSpec& spec, HeavyParts& parts, PostOps& post, Describe describe)
    -> std::optional<decltype(describe(Attributes()))> {
  if (post.fits) {
    dnnl::primitive_attr attr = Attributes();
    attr.set_post_ops(post.ops);
    try {
      auto desc = describe(attr);
      if (post.ops.len() == 0 || IsGenerated(desc)) return desc;
    } catch (const dnnl::error& error) {
      if (post.ops.len() == 0) throw;
    }
  }
  post = PostOps();
  parts.tail = ElementwiseProgram::Make(spec, parts.heavy);
  if (parts.tail == nullptr) return std::nullopt;
  return describe(Attributes());
}

}  // namespace atc::kernels
