#include "cmd/omrun/slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "acl/acl_mdl.h"

namespace atc::omrun {

// A data buffer and the device memory that this program gave it; none for an output that the device allocates.
struct Slot::Buffer {
  aclDataBuffer* handle = nullptr;
  void* memory = nullptr;
  size_t room = 0;  // bytes of memory
  aclTensorDesc* desc = nullptr;
};

Slot::Slot(Model& model, const SlotOptions& options)
    : model_(model), acl_(model.device().acl()), calls_(model.device().calls()), options_(options) {
  try {
    if (options_.stream) {
      if (!acl_.can_run_async()) {
        throw RunError("--streams, --spin and --timeout need streams and events, which this device lacks");
      }
      acl_.Check(calls_.Time("aclrtCreateStream", [&] { return acl_.create_stream(&stream_); }), "making a stream");
      acl_.Check(acl_.create_event(&begin_), "making an event");
      acl_.Check(acl_.create_event(&end_), "making an event");
    }
    signature_ = options_.gear_auto ? model.signature() : UnderGear(model.signature(), options_.gear, &gear_);
    input_set_ = acl_.create_dataset();
    output_set_ = acl_.create_dataset();
    PrepareOutputs();
  } catch (...) {
    Release();
    throw;
  }
}

Slot::~Slot() { Release(); }

void Slot::PrepareOutputs() {
  const std::vector<TensorInfo>& infos = signature_.outputs;
  if (options_.output_sizes.size() > infos.size()) {
    throw RunError(fmt::format("--output_size gives {} sizes, the model has {} outputs", options_.output_sizes.size(), infos.size()));
  }
  may_enqueue_ = true;
  for (size_t i = 0; i < infos.size(); ++i) {
    const TensorInfo& info = infos[i];
    Buffer buffer;
    // How many bytes strings take is known after the run: the device gives them memory.
    const ElementType* type = FindElementType(info.type);
    buffer.room = type && type->bits == 0 ? 0 : info.bytes;
    if (i < options_.output_sizes.size() && options_.output_sizes[i] > 0) {
      if (info.known() && options_.output_sizes[i] < info.bytes) {
        throw RunError(fmt::format("--output_size {} is too small for output '{}', which takes {} bytes",
                                   options_.output_sizes[i], info.name, info.bytes));
      }
      buffer.room = options_.output_sizes[i];
    }
    if (buffer.room) {
      acl_.Check(calls_.Time("aclrtMalloc",
                             [&] { return acl_.malloc(&buffer.memory, buffer.room, ACL_MEM_MALLOC_HUGE_FIRST); }),
                 fmt::format("device memory for output '{}' ({} bytes)", info.name, buffer.room));
    }
    uint64_t count = 0;
    may_enqueue_ = may_enqueue_ && (buffer.room > 0 || (info.known() && ElementCount(info.dims, &count) && count == 0));
    buffer.handle = acl_.create_buffer(buffer.memory, buffer.room);
    outputs_.push_back(buffer);
    acl_.Check(acl_.add_buffer(output_set_, buffer.handle), fmt::format("output '{}'", info.name));
  }
}

void Slot::SetInputs(const std::vector<Tensor>& inputs) {
  if (options_.gear_auto) signature_ = UnderGear(model_.signature(), GearOf(model_.signature(), inputs), &gear_);
  times_.start_h2d = HostCalls::Now();
  const bool first = inputs_.empty();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorInfo& info = signature_.inputs[i];
    const Tensor& tensor = inputs[i];
    const size_t size = tensor.bytes.size();
    if (first) inputs_.emplace_back();
    Buffer& buffer = inputs_[i];
    // Under a gear the model wants room for the largest.
    const size_t room = signature_.gears.kind == Gears::Kind::kNone ? size : std::max(size, acl_.input_size(const_cast<aclmdlDesc*>(model_.desc()), i));
    if (room > buffer.room) {
      if (buffer.memory) acl_.free(buffer.memory);
      buffer.memory = nullptr;
      buffer.room = 0;
      acl_.Check(calls_.Time("aclrtMalloc", [&] { return acl_.malloc(&buffer.memory, room, ACL_MEM_MALLOC_HUGE_FIRST); }),
                 fmt::format("device memory for input '{}' ({} bytes)", info.name, room));
      buffer.room = room;
    }
    if (size) {
      acl_.Check(calls_.Time("aclrtMemcpy host to device",
                             [&] {
                               return acl_.memcpy(buffer.memory, buffer.room, tensor.bytes.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
                             }),
                 fmt::format("copying input '{}' to the device", info.name));
    }
    const size_t told = signature_.gears.kind == Gears::Kind::kNone ? size : buffer.room;
    if (first) {
      buffer.handle = acl_.create_buffer(buffer.memory, told);
      acl_.Check(acl_.add_buffer(input_set_, buffer.handle), fmt::format("input '{}'", info.name));
    } else {
      acl_.Check(acl_.update_buffer(buffer.handle, buffer.memory, told), fmt::format("input '{}'", info.name));
    }
    if (!info.known()) {
      aclTensorDesc* desc =
          acl_.create_tensor_desc(tensor.type, static_cast<int>(tensor.dims.size()), tensor.dims.data(), info.format);
      acl_.Check(acl_.set_tensor_desc(input_set_, desc, i),
                 fmt::format("shape {} of input '{}'", DimsText(tensor.dims), info.name));
      if (buffer.desc) acl_.destroy_tensor_desc(buffer.desc);
      buffer.desc = desc;
    }
  }
  if (first && signature_.gears.kind != Gears::Kind::kNone) PrepareGear();
  if (signature_.gears.kind != Gears::Kind::kNone) ChooseGear();
  times_.end_h2d = HostCalls::Now();
}

// The extra input that tells the device which gear it is.
void Slot::PrepareGear() {
  Buffer buffer;
  buffer.room = signature_.gears.bytes;
  acl_.Check(acl_.malloc(&buffer.memory, std::max<size_t>(buffer.room, 1), ACL_MEM_MALLOC_HUGE_FIRST), "device memory for the gear");
  buffer.handle = acl_.create_buffer(buffer.memory, buffer.room);
  inputs_.push_back(buffer);
  acl_.Check(acl_.add_buffer(input_set_, buffer.handle), "the input of the gear");
}

void Slot::ChooseGear() {
  const Gears& gears = signature_.gears;
  const uint32_t id = model_.id();
  const std::vector<uint64_t> value(gear_.begin(), gear_.end());
  if (gears.kind == Gears::Kind::kBatch) acl_.Check(acl_.set_batch(id, input_set_, gears.input, value[0]), "choosing the batch");
  if (gears.kind == Gears::Kind::kHw) {
    acl_.Check(acl_.set_hw(id, input_set_, gears.input, value[0], value[1]), "choosing the image size");
  }
  if (gears.kind == Gears::Kind::kDims) {
    aclmdlIODims dims{};
    dims.dimCount = gear_.size();
    std::copy(gear_.begin(), gear_.end(), dims.dims);
    acl_.Check(acl_.set_dims(id, input_set_, gears.input, &dims), "choosing the dims");
  }
}

// What the device allocated for the last run's outputs is ours to free.
void Slot::FreeTaken() {
  for (const Buffer& output : outputs_) {
    if (output.memory) continue;
    if (void* last = acl_.buffer_address(output.handle)) acl_.free(last);
    acl_.Check(acl_.update_buffer(output.handle, nullptr, 0), "releasing an output");
  }
}

void Slot::Launch() {
  FreeTaken();
  times_.start_enqueue = HostCalls::Now();
  if (stream_ && may_enqueue_) {
    acl_.Check(acl_.record_event(begin_, stream_), "recording an event");
    acl_.Check(calls_.Time("aclmdlExecuteAsync",
                           [&] { return acl_.execute_async(model_.id(), input_set_, output_set_, stream_); }),
               "running the model");
    acl_.Check(acl_.record_event(end_, stream_), "recording an event");
    in_flight_ = true;
    times_.end_enqueue = HostCalls::Now();
    return;
  }
  const aclError code = calls_.Time("aclmdlExecute", [&] { return acl_.execute(model_.id(), input_set_, output_set_); });
  times_.end_enqueue = HostCalls::Now();
  acl_.Check(code, "running the model");
  times_.start_compute = times_.start_enqueue;
  times_.end_compute = times_.end_enqueue;
}

void Slot::Finish() {
  if (!in_flight_) return;
  in_flight_ = false;
  const auto wait = [&]() -> aclError {
    if (!options_.spin) {
      return options_.timeout_ms ? acl_.synchronize_stream_with_timeout(stream_, options_.timeout_ms)
                                 : acl_.synchronize_stream(stream_);
    }
    const uint64_t give_up = times_.start_enqueue + static_cast<uint64_t>(options_.timeout_ms) * 1000000;
    for (aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;;) {
      if (const aclError code = acl_.stream_query(stream_, &status); code != ACL_SUCCESS) return code;
      if (status == ACL_STREAM_STATUS_COMPLETE) return acl_.synchronize_stream(stream_);
      if (options_.timeout_ms && HostCalls::Now() > give_up) return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    }
  };
  const aclError code = calls_.Time("aclrtSynchronizeStream", wait);
  if (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) {
    throw RunError(fmt::format("the run did not end within {} ms (--timeout)", options_.timeout_ms));
  }
  acl_.Check(code, "running the model");
  float ms = 0;
  acl_.Check(acl_.elapsed_time(&ms, begin_, end_), "reading the time of the run");
  times_.start_compute = times_.start_enqueue;
  times_.end_compute = times_.start_compute + static_cast<uint64_t>(std::max(0.0f, ms) * 1e6);
}

Dims Slot::OutputDims(size_t index) const {
  const TensorInfo& info = signature_.outputs[index];
  if (signature_.gears.kind != Gears::Kind::kNone && acl_.current_output_dims) {
    aclmdlIODims dims{};
    const aclError code = acl_.current_output_dims(model_.desc(), index, &dims);
    if (code == ACL_SUCCESS) return Dims(dims.dims, dims.dims + dims.dimCount);
    // Where values decide, a gear tells no shape, but the run has described what it wrote.
    if (!acl_.get_tensor_desc(output_set_, index)) acl_.Check(code, fmt::format("reading the shape of output '{}'", info.name));
  }
  const aclTensorDesc* desc = info.known() ? nullptr : acl_.get_tensor_desc(output_set_, index);
  if (!desc) return info.dims;
  const size_t rank = acl_.tensor_desc_num_dims(desc);
  Dims dims(rank == ACL_UNKNOWN_RANK ? 0 : rank, 0);
  for (size_t d = 0; d < dims.size(); ++d) {
    acl_.Check(acl_.tensor_desc_dim(desc, d, &dims[d]), fmt::format("shape of output '{}'", info.name));
  }
  return dims;
}

std::vector<Tensor> Slot::Outputs() {
  times_.start_d2h = HostCalls::Now();
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const TensorInfo& info = signature_.outputs[i];
    Tensor tensor{info.type, OutputDims(i), {}};
    const size_t held = acl_.buffer_size(outputs_[i].handle);
    const ElementType* type = FindElementType(info.type);
    uint64_t count;
    if (!ElementCount(tensor.dims, &count)) {
      throw RunError(
          fmt::format("the device did not tell the shape of output '{}' {}", info.name, DimsText(tensor.dims)));
    }
    const uint64_t size = type && type->bits ? BytesOf(*type, count) : held;
    if (size > held) {
      throw RunError(fmt::format("output '{}' {} {} takes {} bytes, the device gave {}", info.name, TypeName(info.type),
                                 DimsText(tensor.dims), size, held));
    }
    tensor.bytes.resize(size);
    if (size) {
      acl_.Check(calls_.Time("aclrtMemcpy device to host",
                             [&] {
                               return acl_.memcpy(tensor.bytes.data(), size, acl_.buffer_address(outputs_[i].handle), size,
                                                  ACL_MEMCPY_DEVICE_TO_HOST);
                             }),
                 fmt::format("copying output '{}' from the device", info.name));
    }
    tensors.push_back(std::move(tensor));
  }
  times_.end_d2h = HostCalls::Now();
  return tensors;
}

void Slot::Release() noexcept {
  // A run that was not waited for, because another one failed, still writes its outputs.
  if (in_flight_) acl_.synchronize_stream(stream_);
  for (std::vector<Buffer>* buffers : {&inputs_, &outputs_}) {
    for (const Buffer& buffer : *buffers) {
      void* memory = buffer.memory ? buffer.memory : buffer.handle ? acl_.buffer_address(buffer.handle) : nullptr;
      if (memory) acl_.free(memory);
      if (buffer.handle) acl_.destroy_buffer(buffer.handle);
      if (buffer.desc) acl_.destroy_tensor_desc(buffer.desc);
    }
    buffers->clear();
  }
  if (input_set_) acl_.destroy_dataset(input_set_);
  if (output_set_) acl_.destroy_dataset(output_set_);
  if (begin_) acl_.destroy_event(begin_);
  if (end_) acl_.destroy_event(end_);
  if (stream_) acl_.destroy_stream(stream_);
  input_set_ = output_set_ = nullptr;
  begin_ = end_ = nullptr;
  stream_ = nullptr;
}

}  // namespace atc::omrun
