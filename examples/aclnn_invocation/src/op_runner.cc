#include "op_runner.h"

#include <cstdio>

namespace {

constexpr int kStreamTimeoutMs = 5000;

}  // namespace

bool Succeeded(int code, const char* what) {
  if (code == 0) return true;
  const char* why = aclGetRecentErrMsg();
  std::fprintf(stderr, "[ERROR] %s failed with %d: %s\n", what, code, why == nullptr ? "" : why);
  return false;
}

OpRunner::~OpRunner() {
  for (const aclTensor* tensor : input_tensors_) aclDestroyTensor(tensor);
  for (const aclTensor* tensor : output_tensors_) aclDestroyTensor(tensor);
  for (const auto* memory : {&device_inputs_, &device_outputs_}) {
    for (void* address : *memory) aclrtFree(address);
  }
  for (const auto* memory : {&host_inputs_, &host_outputs_}) {
    for (void* address : *memory) aclrtFreeHost(address);
  }
}

bool OpRunner::MakeTensors(const std::vector<TensorSpec>& specs, std::vector<void*>* device, std::vector<void*>* host,
                           std::vector<aclTensor*>* tensors) {
  for (const TensorSpec& spec : specs) {
    void* on_device = nullptr;
    void* on_host = nullptr;
    if (!Succeeded(aclrtMalloc(&on_device, spec.Bytes(), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc")) return false;
    device->push_back(on_device);
    if (!Succeeded(aclrtMallocHost(&on_host, spec.Bytes()), "aclrtMallocHost")) return false;
    host->push_back(on_host);
    aclTensor* tensor = aclCreateTensor(spec.dims.data(), spec.dims.size(), spec.type, nullptr, 0, spec.format, spec.dims.data(),
                                        spec.dims.size(), on_device);
    if (!Succeeded(tensor == nullptr, "aclCreateTensor")) return false;
    tensors->push_back(tensor);
  }
  return true;
}

bool OpRunner::Init() {
  return MakeTensors(desc_.inputs(), &device_inputs_, &host_inputs_, &input_tensors_) &&
         MakeTensors(desc_.outputs(), &device_outputs_, &host_outputs_, &output_tensors_);
}

bool OpRunner::RunOp() {
  for (size_t i = 0; i < device_inputs_.size(); ++i) {
    const size_t bytes = desc_.inputs()[i].Bytes();
    if (!Succeeded(aclrtMemcpy(device_inputs_[i], bytes, host_inputs_[i], bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy")) return false;
  }
  aclrtStream stream = nullptr;
  if (!Succeeded(aclrtCreateStream(&stream), "aclrtCreateStream")) return false;

  // Phase 1: the arguments are checked, and the size of the workspace is known.
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
  bool good = Succeeded(call_.get_workspace_size(input_tensors_, output_tensors_, &workspace_size, &executor), "GetWorkspaceSize");
  if (good && workspace_size > 0) {
    good = Succeeded(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    if (!good) aclDestroyAclOpExecutor(executor);
  }
  // Phase 2 queues the run and ends the executor.
  good = good && Succeeded(call_.run(workspace, workspace_size, executor, stream), desc_.op_type().c_str());
  good = good && Succeeded(aclrtSynchronizeStreamWithTimeout(stream, kStreamTimeoutMs), "aclrtSynchronizeStreamWithTimeout");
  for (size_t i = 0; good && i < device_outputs_.size(); ++i) {
    const size_t bytes = desc_.outputs()[i].Bytes();
    good = Succeeded(aclrtMemcpy(host_outputs_[i], bytes, device_outputs_[i], bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
  }
  aclrtDestroyStream(stream);
  if (workspace != nullptr) aclrtFree(workspace);
  return good;
}
