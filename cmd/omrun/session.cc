#include "cmd/omrun/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include "acl/acl_mdl.h"
#include "cmd/omrun/model_file.h"

namespace atc::omrun {

bool TensorInfo::known() const {
  return std::none_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; });
}

// A data buffer and the device memory that this program gave it; none for an output that the device allocates.
struct Session::Buffer {
  aclDataBuffer* handle = nullptr;
  void* memory = nullptr;
  aclTensorDesc* desc = nullptr;
};

Session::Session(const Backend& backend, const std::string& model, uint32_t cores) : acl_(backend) {
  try {
    CheckModelFile(acl_, model);
    acl_.Check(calls_.Time("aclInit", [&] { return acl_.init(nullptr); }), "starting the device");
    initialized_ = true;
    // Before the device, whose default stream takes the number over.
    if (cores) {
      if (!acl_.set_cores) throw RunError("--cores has no meaning on this device: it is no simulated one");
      acl_.Check(acl_.set_cores(cores), fmt::format("--cores {}", cores));
    }
    acl_.Check(calls_.Time("aclrtSetDevice", [&] { return acl_.set_device(0); }), "opening device 0");
    device_set_ = true;
    Load(model);
    ReadSignature();
    PrepareOutputs();
  } catch (...) {
    Release();
    throw;
  }
}

Session::~Session() { Release(); }

void Session::Load(const std::string& model) {
  const auto start = std::chrono::steady_clock::now();
  acl_.Check(calls_.Time("aclmdlLoadFromFile", [&] { return acl_.load(model.c_str(), &model_); }), fmt::format("loading '{}'", model));
  load_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  loaded_ = true;
}

void Session::ReadSignature() {
  desc_ = acl_.create_desc();
  acl_.Check(acl_.get_desc(desc_, model_), "reading the model's signature");
  const auto name = [&](const char* given) {
    // Long names come shortened; the whole one has a call of its own.
    const char* real = acl_.real_name && given ? acl_.real_name(desc_, given) : nullptr;
    return std::string(real && *real ? real : given ? given : "");
  };
  const auto dims = [](const aclmdlIODims& from) { return Dims(from.dims, from.dims + from.dimCount); };
  const size_t inputs = acl_.num_inputs(desc_), outputs = acl_.num_outputs(desc_);
  for (size_t i = 0; i < inputs; ++i) {
    aclmdlIODims shape{};
    acl_.Check(acl_.input_dims(desc_, i, &shape), fmt::format("reading the shape of input {}", i));
    signature_.inputs.push_back({name(acl_.input_name(desc_, i)),
                                 acl_.input_type(desc_, i),
                                 acl_.input_format(desc_, i),
                                 dims(shape),
                                 acl_.input_size(desc_, i),
                                 {}});
    aclmdlIODimsRange range{};
    if (acl_.input_range && acl_.input_range(desc_, i, &range) == ACL_SUCCESS && range.rangeCount == shape.dimCount) {
      for (size_t d = 0; d < shape.dimCount; ++d) {
        signature_.inputs.back().least.push_back(std::max<int64_t>(1, range.range[d][0]));
        signature_.inputs.back().most.push_back(range.range[d][1]);
      }
    }
    if (signature_.inputs.back().name == ACL_DYNAMIC_TENSOR_NAME) {
      throw RunError(
          "this model has several gears (batch, image size or dims), which cannot be chosen here yet: "
          "convert it with fixed shapes, or with shape ranges alone");
    }
  }
  for (size_t i = 0; i < outputs; ++i) {
    aclmdlIODims shape{};
    acl_.Check(acl_.output_dims(desc_, i, &shape), fmt::format("reading the shape of output {}", i));
    signature_.outputs.push_back({name(acl_.output_name(desc_, i)),
                                  acl_.output_type(desc_, i),
                                  acl_.output_format(desc_, i),
                                  dims(shape),
                                  acl_.output_size(desc_, i),
                                  {}});
  }
}

void Session::PrepareOutputs() {
  output_set_ = acl_.create_dataset();
  for (const TensorInfo& info : signature_.outputs) {
    Buffer buffer;
    // How many bytes strings take is known after the run: the device gives them memory.
    const ElementType* type = FindElementType(info.type);
    const size_t size = type && type->bits == 0 ? 0 : info.bytes;
    if (size) {
      acl_.Check(calls_.Time("aclrtMalloc",
                             [&] { return acl_.malloc(&buffer.memory, size, ACL_MEM_MALLOC_HUGE_FIRST); }),
                 fmt::format("device memory for output '{}' ({} bytes)", info.name, size));
    }
    buffer.handle = acl_.create_buffer(buffer.memory, size);
    outputs_.push_back(buffer);
    acl_.Check(acl_.add_buffer(output_set_, buffer.handle), fmt::format("output '{}'", info.name));
  }
}

void Session::SetInputs(const std::vector<Tensor>& inputs) {
  input_set_ = acl_.create_dataset();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorInfo& info = signature_.inputs[i];
    const Tensor& tensor = inputs[i];
    const size_t size = tensor.bytes.size();
    Buffer buffer;
    if (size) {
      acl_.Check(calls_.Time("aclrtMalloc", [&] { return acl_.malloc(&buffer.memory, size, ACL_MEM_MALLOC_HUGE_FIRST); }),
                 fmt::format("device memory for input '{}' ({} bytes)", info.name, size));
    }
    buffer.handle = acl_.create_buffer(buffer.memory, size);
    inputs_.push_back(buffer);
    if (size) {
      acl_.Check(calls_.Time("aclrtMemcpy host to device",
                             [&] {
                               return acl_.memcpy(buffer.memory, size, tensor.bytes.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
                             }),
                 fmt::format("copying input '{}' to the device", info.name));
    }
    acl_.Check(acl_.add_buffer(input_set_, buffer.handle), fmt::format("input '{}'", info.name));
    if (!info.known()) {
      aclTensorDesc* desc =
          acl_.create_tensor_desc(tensor.type, static_cast<int>(tensor.dims.size()), tensor.dims.data(), info.format);
      inputs_.back().desc = desc;
      acl_.Check(acl_.set_tensor_desc(input_set_, desc, i),
                 fmt::format("shape {} of input '{}'", DimsText(tensor.dims), info.name));
    }
  }
}

double Session::Run() {
  // What the device allocated for the last run's outputs is ours to free.
  for (const Buffer& output : outputs_) {
    if (output.memory) continue;
    if (void* last = acl_.buffer_address(output.handle)) acl_.free(last);
    acl_.Check(acl_.update_buffer(output.handle, nullptr, 0), "releasing an output");
  }
  const auto start = std::chrono::steady_clock::now();
  const aclError code = calls_.Time("aclmdlExecute", [&] { return acl_.execute(model_, input_set_, output_set_); });
  const auto end = std::chrono::steady_clock::now();
  acl_.Check(code, "running the model");
  return std::chrono::duration<double, std::milli>(end - start).count();
}

std::vector<Tensor> Session::Outputs() {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const TensorInfo& info = signature_.outputs[i];
    Tensor tensor{info.type, info.dims, {}};
    const aclTensorDesc* desc = info.known() ? nullptr : acl_.get_tensor_desc(output_set_, i);
    if (desc) {
      const size_t rank = acl_.tensor_desc_num_dims(desc);
      tensor.dims.assign(rank == ACL_UNKNOWN_RANK ? 0 : rank, 0);
      for (size_t d = 0; d < tensor.dims.size(); ++d) {
        acl_.Check(acl_.tensor_desc_dim(desc, d, &tensor.dims[d]), fmt::format("shape of output '{}'", info.name));
      }
    }
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
  return tensors;
}

void Session::BeginProfile() {
  if (!acl_.can_profile()) {
    throw RunError("--profile: this device tells no times of tasks; use the profiler that comes with it (msprof)");
  }
  acl_.Check(acl_.start_profile(model_), "starting the profile");
}

profile::Profile Session::EndProfile() {
  openatcProfile* handle = nullptr;
  acl_.Check(acl_.stop_profile(model_, &handle), "ending the profile");
  profile::ModelProfile model;
  model.model = model_;
  for (size_t i = 0; i < acl_.num_task_records(handle); ++i) {
    openatcTaskRecord record{};
    acl_.Check(acl_.task_record(handle, i, &record, sizeof record), "reading the profile");
    model.tasks.push_back(ToTaskTime(record));
  }
  acl_.destroy_profile(handle);
  profile::Profile profile;
  profile.models.push_back(std::move(model));
  profile.calls = calls_.all();
  return profile;
}

std::optional<openatcModelStats> Session::stats() const {
  if (!acl_.model_stats) return std::nullopt;
  openatcModelStats stats{};
  acl_.Check(acl_.model_stats(model_, &stats, sizeof stats), "reading the model's figures");
  return stats;
}

std::string Session::device() const {
  // The simulated device runs an om of any chip, so its own chip name would only mislead.
  if (acl_.simulated()) return acl_.device_description();
  const char* soc = acl_.soc_name();
  return fmt::format("{} ({})", soc ? soc : "unknown chip", acl_.path);
}

void Session::Release() noexcept {
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
  if (loaded_) acl_.unload(model_);
  if (desc_) acl_.destroy_desc(desc_);
  if (device_set_) acl_.reset_device(0);
  if (initialized_) acl_.finalize();
  initialized_ = device_set_ = loaded_ = false;
  desc_ = nullptr;
  input_set_ = output_set_ = nullptr;
}

}  // namespace atc::omrun
