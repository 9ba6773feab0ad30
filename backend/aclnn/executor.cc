#include "backend/aclnn/executor.h"

#include "backend/acl/failed_task.h"
#include "backend/acl/guard.h"
#include "backend/acl/handles.h"

namespace atc::aclnn {

using acl::Fail;
using runtime::Memory;
using runtime::MemoryKind;
using runtime::Runtime;
using runtime::Stream;
using runtime::Task;

acl::HandleTable<Executor>& Executors() {
  static auto* table = new acl::HandleTable<Executor>(acl::HandleKind::kExecutor);
  return *table;
}

std::vector<bool> SharedOutputs(const std::vector<TensorRef>& tensors) {
  const auto range = [](const TensorRef& tensor) {
    const auto base = reinterpret_cast<uintptr_t>(tensor.address);
    return std::pair(base + tensor.view.begin_bytes(), base + tensor.view.end_bytes());
  };
  std::vector<bool> shared(tensors.size(), false);
  for (size_t out = 0; out < tensors.size(); ++out) {
    if (!tensors[out].output) continue;
    if (tensors[out].input) shared[out] = true;
    const auto [begin, end] = range(tensors[out]);
    for (const TensorRef& in : tensors) {
      if (!in.input || in.address == nullptr || tensors[out].address == nullptr) continue;
      const auto [in_begin, in_end] = range(in);
      if (begin < in_end && in_begin < end) shared[out] = true;
    }
  }
  return shared;
}

aclError CheckAddress(const std::string& name, const View& view, const void* address) {
  if (view.shape.NumElements() == 0) return ACL_SUCCESS;
  const Memory& memory = Runtime::Get().memory();
  const auto found = memory.Find(address);
  if (!found || found->kind != MemoryKind::kDevice) {
    return Fail(ACL_ERROR_RT_AICORE_EXCEPTION, "argument " + name + ": the address is not device memory (aclrtMalloc), or was freed");
  }
  if (memory.InBounds(address, view.end_bytes())) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_AICORE_EXCEPTION, "argument " + name + ": the tensor reaches past its allocation: " +
                                                 std::to_string(view.end_bytes()) + " bytes are wanted");
}

namespace {

acl::TensorDesc Describe(const TensorRef& tensor, const std::string& name) {
  acl::TensorDesc desc;
  desc.dtype = tensor.view.dtype;
  desc.format = static_cast<Format>(tensor.view.format);
  desc.shape = tensor.view.shape;
  desc.name = name;
  desc.address = static_cast<std::byte*>(tensor.address) + tensor.view.begin_bytes();
  return desc;
}

std::shared_ptr<const acl::TaskOperands> Operands(const Executor& executor) {
  auto operands = std::make_shared<acl::TaskOperands>();
  for (size_t i = 0; i < executor.tensors.size(); ++i) {
    if (executor.tensors[i].input) operands->inputs.push_back(Describe(executor.tensors[i], executor.names[i]));
    if (executor.tensors[i].output) operands->outputs.push_back(Describe(executor.tensors[i], executor.names[i]));
  }
  return operands;
}

}  // namespace

aclnnStatus Launch(std::shared_ptr<Executor> executor, void* workspace, aclrtStream stream) {
  std::shared_ptr<Stream> on;
  if (acl::FindStream(stream, &on) != ACL_SUCCESS) return ACLNN_ERR_RUNTIME_ERROR;
  std::vector<void*> addresses;
  Task task;
  {
    std::lock_guard lock(executor->mutex);
    for (const TensorRef& tensor : executor->tensors) addresses.push_back(tensor.address);
    task.operands = Operands(*executor);
  }
  task.kernel = executor->name;
  task.run = [executor, addresses = std::move(addresses), workspace](Stream&) -> aclError {
    return acl::Guard(
        [&]() -> aclError {
          Plan& plan = *executor->plan;
          for (size_t i = 0; i < addresses.size(); ++i) {
            if (!plan.used()[i]) continue;
            const aclError code = CheckAddress(executor->names[i], executor->tensors[i].view, addresses[i]);
            if (code != ACL_SUCCESS) return code;
          }
          std::vector<Shape> shapes;
          plan.Run(addresses, static_cast<std::byte*>(workspace), &shapes);
          for (size_t i = 0; i < shapes.size(); ++i) {
            Tensor& tensor = *executor->tensors[plan.outputs()[i].tensor].tensor;
            std::lock_guard lock(tensor.mutex);
            tensor.view.strides = shapes[i].Strides();
            tensor.view.shape = std::move(shapes[i]);
          }
          return ACL_SUCCESS;
        },
        ACL_ERROR_RT_AICORE_EXCEPTION);
  };
  return on->Enqueue(std::move(task)) == ACL_SUCCESS ? ACLNN_SUCCESS : ACLNN_ERR_RUNTIME_ERROR;
}

}  // namespace atc::aclnn
