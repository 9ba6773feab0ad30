#include "cmd/omrun/backend.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "cmd/omrun/tensor.h"

namespace atc::omrun {
namespace {

// Finds functions by name and keeps the names that are not there.
class Binder {
 public:
  explicit Binder(void* library) : library_(library) {}

  template <class Function>
  void Need(const char* name, Function** function) {
    if (!Want(name, function)) missing_ += (missing_.empty() ? "" : ", ") + std::string(name);
  }
  template <class Function>
  bool Want(const char* name, Function** function) {
    *function = reinterpret_cast<Function*>(dlsym(library_, name));
    symbols_.emplace_back(name, *function != nullptr);
    return *function != nullptr;
  }
  const std::string& missing() const { return missing_; }
  const std::vector<std::pair<std::string, bool>>& symbols() const { return symbols_; }

 private:
  void* library_;
  std::string missing_;
  std::vector<std::pair<std::string, bool>> symbols_;
};

void Bind(void* library, Backend* b) {
  Binder binder(library);
  binder.Need("aclInit", &b->init);
  binder.Need("aclFinalize", &b->finalize);
  binder.Need("aclGetRecentErrMsg", &b->recent_error);
  binder.Need("aclrtSetDevice", &b->set_device);
  binder.Need("aclrtResetDevice", &b->reset_device);
  binder.Need("aclrtGetSocName", &b->soc_name);
  binder.Need("aclrtMalloc", &b->malloc);
  binder.Need("aclrtFree", &b->free);
  binder.Need("aclrtMemcpy", &b->memcpy);
  binder.Need("aclCreateDataBuffer", &b->create_buffer);
  binder.Need("aclDestroyDataBuffer", &b->destroy_buffer);
  binder.Need("aclUpdateDataBuffer", &b->update_buffer);
  binder.Need("aclGetDataBufferAddr", &b->buffer_address);
  binder.Need("aclGetDataBufferSizeV2", &b->buffer_size);
  binder.Need("aclCreateTensorDesc", &b->create_tensor_desc);
  binder.Need("aclDestroyTensorDesc", &b->destroy_tensor_desc);
  binder.Need("aclGetTensorDescNumDims", &b->tensor_desc_num_dims);
  binder.Need("aclGetTensorDescDimV2", &b->tensor_desc_dim);
  binder.Need("aclmdlLoadFromFile", &b->load);
  binder.Need("aclmdlUnload", &b->unload);
  binder.Need("aclmdlCreateDesc", &b->create_desc);
  binder.Need("aclmdlDestroyDesc", &b->destroy_desc);
  binder.Need("aclmdlGetDesc", &b->get_desc);
  binder.Need("aclmdlGetNumInputs", &b->num_inputs);
  binder.Need("aclmdlGetNumOutputs", &b->num_outputs);
  binder.Need("aclmdlGetInputSizeByIndex", &b->input_size);
  binder.Need("aclmdlGetOutputSizeByIndex", &b->output_size);
  binder.Need("aclmdlGetInputNameByIndex", &b->input_name);
  binder.Need("aclmdlGetOutputNameByIndex", &b->output_name);
  binder.Need("aclmdlGetInputFormat", &b->input_format);
  binder.Need("aclmdlGetOutputFormat", &b->output_format);
  binder.Need("aclmdlGetInputDataType", &b->input_type);
  binder.Need("aclmdlGetOutputDataType", &b->output_type);
  binder.Need("aclmdlGetInputDims", &b->input_dims);
  binder.Need("aclmdlGetOutputDims", &b->output_dims);
  binder.Need("aclmdlCreateDataset", &b->create_dataset);
  binder.Need("aclmdlDestroyDataset", &b->destroy_dataset);
  binder.Need("aclmdlAddDatasetBuffer", &b->add_buffer);
  binder.Need("aclmdlSetDatasetTensorDesc", &b->set_tensor_desc);
  binder.Need("aclmdlGetDatasetTensorDesc", &b->get_tensor_desc);
  binder.Need("aclmdlExecute", &b->execute);
  binder.Want("aclrtGetDeviceCount", &b->device_count);
  binder.Want("aclrtCreateStream", &b->create_stream);
  binder.Want("aclrtDestroyStream", &b->destroy_stream);
  binder.Want("aclrtSynchronizeStream", &b->synchronize_stream);
  binder.Want("aclrtSynchronizeStreamWithTimeout", &b->synchronize_stream_with_timeout);
  binder.Want("aclrtStreamQuery", &b->stream_query);
  binder.Want("aclrtCreateEvent", &b->create_event);
  binder.Want("aclrtDestroyEvent", &b->destroy_event);
  binder.Want("aclrtRecordEvent", &b->record_event);
  binder.Want("aclrtEventElapsedTime", &b->elapsed_time);
  binder.Want("aclmdlExecuteAsync", &b->execute_async);
  binder.Want("aclmdlGetDynamicBatch", &b->dynamic_batch);
  binder.Want("aclmdlGetDynamicHW", &b->dynamic_hw);
  binder.Want("aclmdlGetInputDynamicGearCount", &b->gear_count);
  binder.Want("aclmdlGetInputDynamicDims", &b->gear_dims);
  binder.Want("aclmdlSetDynamicBatchSize", &b->set_batch);
  binder.Want("aclmdlSetDynamicHWSize", &b->set_hw);
  binder.Want("aclmdlSetInputDynamicDims", &b->set_dims);
  binder.Want("aclmdlGetCurOutputDims", &b->current_output_dims);
  binder.Want("aclmdlGetTensorRealName", &b->real_name);
  binder.Want("aclmdlGetInputDimsRange", &b->input_range);
  binder.Want("aclrtSetExceptionInfoCallback", &b->set_exception_callback);
  binder.Want("aclrtGetDeviceIdFromExceptionInfo", &b->fault_device);
  binder.Want("aclrtGetStreamIdFromExceptionInfo", &b->fault_stream);
  binder.Want("aclrtGetTaskIdFromExceptionInfo", &b->fault_task);
  binder.Want("aclrtGetErrorCodeFromExceptionInfo", &b->fault_code);
  binder.Want("openatcGetDeviceDescription", &b->device_description);
  binder.Want("openatcSetCores", &b->set_cores);
  binder.Want("openatcGetModelStats", &b->model_stats);
  binder.Want("openatcGetOutputPrecision", &b->output_precision);
  binder.Want("openatcIsOwnModel", &b->is_own_model);
  binder.Want("openatcStartProfile", &b->start_profile);
  binder.Want("openatcStopProfile", &b->stop_profile);
  binder.Want("openatcGetNumTaskRecords", &b->num_task_records);
  binder.Want("openatcGetTaskRecord", &b->task_record);
  binder.Want("openatcDestroyProfile", &b->destroy_profile);
  binder.Want("openatcGetKernelName", &b->kernel_name);
  binder.Want("openatcSetTensorCallback", &b->set_tensor_callback);
  b->symbols = binder.symbols();
  b->missing = binder.missing();
}

// "sim" is the library beside this program, "ascend" the one on the loader's path, "auto" the first of both that is there.
// One beside the program is taken even if it turns out broken: falling back to another one that happens to be on the
// loader's path would run on another device unasked.
std::string FindLibrary(const std::string& path) {
  if (path == "ascend") return "libascendcl.so";
  if (!path.empty() && path != "sim" && path != "auto") return path;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const char* folder : {"lib", "lib64"}) {
    const auto beside = program.parent_path().parent_path() / folder / "libascendcl.so";
    if (!error && std::filesystem::exists(beside, error)) return beside.string();
  }
  if (path == "sim") throw RunError("--backend sim: there is no libascendcl.so beside this program (../lib, ../lib64)");
  return "libascendcl.so";
}

}  // namespace

Backend FindBackend(const std::string& path) {
  Backend backend;
  backend.path = FindLibrary(path);
  // CANN keeps libraries of empty functions there, for linking only.
  if (backend.path.find("/devlib/") != std::string::npos) {
    throw RunError(fmt::format("'{}' is a library to link with, not one to run: name the one in lib64", backend.path));
  }
  void* library = dlopen(backend.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw RunError(fmt::format("the ACL library cannot be opened; --backend names another one: {}", dlerror()));
  Bind(library, &backend);
  if (path == "ascend" && backend.simulated()) {
    throw RunError("--backend ascend: the libascendcl.so on the loader's path is OpenATC's own, of a simulated device; set "
                   "LD_LIBRARY_PATH to the CANN toolkit's, or name its library");
  }
  return backend;
}

Backend OpenBackend(const std::string& path) {
  Backend backend = FindBackend(path);
  if (!backend.missing.empty()) {
    throw RunError(fmt::format("'{}' is no ACL library that can be used: it lacks {}", backend.path, backend.missing));
  }
  return backend;
}

void Backend::Check(aclError code, const std::string& doing) const {
  if (code == ACL_SUCCESS) return;
  const char* text = recent_error();
  std::string message = text ? text : "";
  while (!message.empty() && message.back() == '\n') message.pop_back();
  if (message.empty()) throw RunError(fmt::format("{}: the device reports code {}", doing, code));
  // Messages that begin with their code have told it.
  const bool told = message.starts_with(fmt::format("{}:", code));
  throw RunError(fmt::format("{}: {}{}", doing, message, told ? "" : fmt::format(" (code {})", code)));
}

}  // namespace atc::omrun
