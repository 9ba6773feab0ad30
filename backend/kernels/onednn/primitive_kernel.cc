#include "backend/kernels/onednn/primitive_kernel.h"

#include <utility>

#include "backend/kernels/half_convert.h"
#include "backend/kernels/onednn/general_product.h"
#include "backend/kernels/onednn/prepared_constants.h"
#include "backend/kernels/team.h"

namespace atc::kernels {

size_t PrimitiveKernel::Reserve(size_t bytes) {
  const size_t at = scratch_bytes_;
  scratch_bytes_ += (bytes + 63) / 64 * 64;
  return at;
}

void PrimitiveKernel::AddInput(const KernelSpec& spec, int dnnl_arg, int port, const dnnl::memory::desc& desc, bool turned) {
  Argument argument{dnnl_arg, port, spec.inputs[port].dtype, static_cast<size_t>(spec.inputs[port].shape.NumElements()),
                    Unbound(desc)};
  if (argument.dtype != DT_FLOAT) argument.scratch_at = Reserve(argument.count * sizeof(float));
  if (turned) argument.turn = ChannelsToLast(spec.inputs[port].shape, sizeof(float));
  if (turned) argument.turned_at = Reserve(argument.count * sizeof(float));
  arguments_.push_back(std::move(argument));
}

void PrimitiveKernel::AddConstant(const KernelSpec& spec, int dnnl_arg, int port, const dnnl::memory::desc& plain,
                                  const dnnl::memory::desc& wanted) {
  const PreparedConstants::Prepared prepared = prepared_->Get(*spec.inputs[port].constant, plain, wanted);
  if (prepared.made) prepared_bytes_ += wanted.get_size();
  if (prepared.own) own_ports_.push_back(static_cast<size_t>(port));
  bound_.push_back({dnnl_arg, prepared.kept.memory.get()});
  constants_.push_back(prepared.kept.memory);
  kept_.push_back(prepared.kept.bytes);
}

void PrimitiveKernel::AddOperands(const KernelSpec& spec, const PostOps& post) {
  for (const PostOps::Operand& operand : post.operands) {
    if (spec.inputs[operand.port].constant != nullptr) {
      AddConstant(spec, operand.dnnl_arg, operand.port, operand.desc, operand.desc);
    } else {
      AddInput(spec, operand.dnnl_arg, operand.port, operand.desc);
    }
  }
}

void PrimitiveKernel::Finish(MadePrimitive made, const dnnl::memory::desc& output, std::function<MadePrimitive()> again) {
  MakeReady(made.primitive, dnnl::memory::data_type::f32);
  made_ = std::move(made);
  if (threads_ > 1) again_ = std::move(again);
  output_ = Unbound(output);
  scratchpad_ = Unbound(made_.scratchpad);
  scratchpad_at_ = Reserve(made_.scratchpad.get_size());
  result_in_scratch_ = !out_type_.is_float();
  if (result_in_scratch_) result_at_ = Reserve(out_count_ * sizeof(float));
  if (turn_) turned_at_ = Reserve(out_count_ * sizeof(float));
  for (const Argument& argument : arguments_) bound_.push_back({argument.dnnl_arg, argument.memory.get()});
  bound_.push_back({DNNL_ARG_DST, output_.get()});
  bound_.push_back({DNNL_ARG_SCRATCHPAD, scratchpad_.get()});
}

// When it is asked for first: few programs ever run where other programs have the cores.
void PrimitiveKernel::MakeAlone() {
  const std::function<MadePrimitive()> again = std::exchange(again_, nullptr);
  const Team team(1);
  try {
    alone_ = again();
  } catch (const dnnl::error&) {
    return;  // one thread has no fast way with these layouts
  }
  alone_memory_ = Unbound(alone_->scratchpad);
  alone_scratchpad_ = Buffer::Allocate(alone_->scratchpad.get_size());
  alone_memory_.set_data_handle(alone_scratchpad_.data);
}

void PrimitiveKernel::Execute(std::byte* scratch) {
  const bool alone = threads_ > 1 && IsAlone();
  if (alone && again_) MakeAlone();
  const bool other = alone && alone_;
  if (!other) scratchpad_.set_data_handle(scratch + scratchpad_at_);
  bound_.back().memory = other ? alone_memory_.get() : scratchpad_.get();
  const Team team(other ? 1 : threads_);
  // The C++ wrapper would allocate a list of the arguments each time.
  dnnl::error::wrap_c_api(dnnl_primitive_execute((other ? alone_->primitive : made_.primitive).get(), ThreadStream().get(),
                                                 static_cast<int>(bound_.size()), bound_.data()),
                          "could not execute a primitive");
  ThreadStream().wait();
}

void PrimitiveKernel::Run(const void* const* inputs, void* const* outputs, std::byte* scratch) {
  for (const Argument& argument : arguments_) {
    const void* data = inputs[argument.port];
    if (argument.dtype != DT_FLOAT) {
      auto* wide = reinterpret_cast<float*>(scratch + argument.scratch_at);
      ParallelWidenTo(wide, data, argument.dtype, argument.count, threads_);
      data = wide;
    }
    if (argument.turn) {
      argument.turn->Run(data, scratch + argument.turned_at, threads_);
      data = scratch + argument.turned_at;
    }
    argument.memory.set_data_handle(const_cast<void*>(data));
  }
  auto* result = result_in_scratch_ ? reinterpret_cast<float*>(scratch + result_at_) : static_cast<float*>(outputs[0]);
  output_.set_data_handle(turn_ ? reinterpret_cast<float*>(scratch + turned_at_) : result);
  Execute(scratch);
  if (turn_) turn_->Run(scratch + turned_at_, result, threads_);
  if (parts_.tail) {
    parts_.tail->Run(inputs, result, outputs[0], threads_);
  } else {
    out_type_.GiveAll(outputs[0], result, out_count_, threads_);
  }
}

}  // namespace atc::kernels
