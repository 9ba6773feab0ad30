#include "backend/kernels/onednn/primitive_kernel.h"

#include "backend/kernels/half_convert.h"
#include "backend/kernels/onednn/general_product.h"
#include "backend/kernels/onednn/invalid_flag.h"
#include "backend/kernels/onednn/prepared_constants.h"
#include "backend/kernels/team.h"

namespace atc::kernels {

size_t PrimitiveKernel::Reserve(size_t bytes) {
  const size_t at = scratch_bytes_;
  scratch_bytes_ += (bytes + 63) / 64 * 64;
  return at;
}

void PrimitiveKernel::AddInput(const KernelSpec& spec, int dnnl_arg, int port, const dnnl::memory::desc& desc,
                               bool turned) {
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
  const size_t own = own_ports_.size();
  for (const PostOps::Operand& operand : post.operands) {
    if (spec.inputs[operand.port].constant != nullptr) {
      AddConstant(spec, operand.dnnl_arg, operand.port, operand.desc, operand.desc);
    } else {
      AddInput(spec, operand.dnnl_arg, operand.port, operand.desc);
    }
  }
  if (!kNotesNan || !post.loses_nan) return;
  nan_tail_ = ElementwiseProgram::Make(spec, parts_.heavy);
  if (nan_tail_) own_ports_.resize(own);  // it reads them where they are
}

void PrimitiveKernel::LeaveNan(const KernelSpec& spec) {
  if (kNotesNan) nan_kernel_ = MakeReference(spec);
}

void PrimitiveKernel::Finish(MadePrimitive made, const dnnl::memory::desc& output,
                             std::function<MadePrimitive(bool)> again) {
  MakeReady(made.primitive, dnnl::memory::data_type::f32);
  again_ = std::move(again);
  output_ = Unbound(output);
  scratchpad_at_ = Reserve(made.scratchpad.get_size());
  forms_[0][0] = {true, made, Unbound(made.scratchpad)};
  result_in_scratch_ = !out_type_.is_float();
  if (result_in_scratch_) result_at_ = Reserve(out_count_ * sizeof(float));
  if (turn_) turned_at_ = Reserve(out_count_ * sizeof(float));
  for (const Argument& argument : arguments_) bound_.push_back({argument.dnnl_arg, argument.memory.get()});
  bound_.push_back({DNNL_ARG_DST, output_.get()});
  bound_.push_back({DNNL_ARG_SCRATCHPAD, nullptr});
}

PrimitiveKernel::Form* PrimitiveKernel::FormFor(bool alone, bool plain) {
  Form& form = forms_[alone][plain];
  if (!form.tried) {
    form.tried = true;
    const Team team(alone ? 1 : threads_);
    try {
      form.made = again_(plain);
      form.scratchpad = Unbound(form.made->scratchpad);
      form.bytes = Buffer::Allocate(form.made->scratchpad.get_size());
      form.scratchpad.set_data_handle(form.bytes.data);
    } catch (const dnnl::error&) {
      form.made.reset();
    }
  }
  return form.made ? &form : alone ? FormFor(false, plain) : nullptr;
}

// False where there is no such primitive.
bool PrimitiveKernel::Execute(bool plain, std::byte* scratch) {
  Form* form = FormFor(threads_ > 1 && IsAlone(), plain);
  if (form == nullptr) return false;
  if (form->bytes.data == nullptr) form->scratchpad.set_data_handle(scratch + scratchpad_at_);
  bound_.back().memory = form->scratchpad.get();
  const Team team(form == &forms_[1][plain] ? 1 : threads_);
  // The C++ wrapper would allocate a list of the arguments each time.
  dnnl::error::wrap_c_api(dnnl_primitive_execute(form->made->primitive.get(), ThreadStream().get(),
                                                 static_cast<int>(bound_.size()), bound_.data()),
                          "could not execute a primitive");
  ThreadStream().wait();
  return true;
}

// The same, and whether NaN was met. The flag of the other members may come from what they did before: after a false alarm
// they are cleared first, and after some more nobody looks at them.
bool PrimitiveKernel::ExecuteWatched(std::byte* scratch) {
  constexpr int kMostAlarms = 4;
  if (false_alarms_ >= kMostAlarms) {
    if (nan_tail_) return true;
    if (HasNan(static_cast<const float*>(arguments_[0].memory.get_data_handle()), arguments_[0].count)) return true;
    Execute(false, scratch);
    return false;
  }
  TakeInvalidFlag(false_alarms_ > 0 ? threads_ : 1);
  Execute(false, scratch);
  return TakeInvalidFlag(threads_);
}

bool PrimitiveKernel::HasNan(const float* data, size_t count) const {
  return std::any_of(data, data + count, [](float one) { return one != one; });
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
  auto* raw = turn_ ? reinterpret_cast<float*>(scratch + turned_at_) : result;
  output_.set_data_handle(raw);
  const bool watched = nan_tail_ || nan_kernel_;
  const bool nan = watched ? ExecuteWatched(scratch) : (Execute(false, scratch), false);
  if (nan && nan_kernel_) {
    const auto* x = static_cast<const float*>(arguments_[0].memory.get_data_handle());
    if (HasNan(x, arguments_[0].count)) return nan_kernel_->Run(inputs, outputs, scratch);
    ++false_alarms_;
  }
  const ElementwiseProgram* tail = parts_.tail.get();
  if (nan && nan_tail_) {
    if (Execute(true, scratch)) {
      tail = nan_tail_.get();
      if (!HasNan(raw, out_count_)) ++false_alarms_;
    } else {
      nan_tail_.reset();  // oneDNN has no other way: its results stay
      Execute(false, scratch);
    }
  }
  if (turn_) turn_->Run(scratch + turned_at_, result, threads_);
  if (tail != nullptr) {
    tail->Run(inputs, result, outputs[0], threads_);
  } else {
    out_type_.GiveAll(outputs[0], result, out_count_, threads_);
  }
}

}  // namespace atc::kernels
