#include "backend/acl/failed_task.h"

#include <algorithm>
#include <cstring>

#include "backend/runtime/failure.h"

namespace atc::acl {
namespace {

// One description that knows the others.
aclTensorDesc* MakeArray(const std::vector<TensorDesc>& descs) {
  std::vector<aclTensorDesc*> handles;
  std::shared_ptr<TensorDesc> first;
  for (const TensorDesc& desc : descs) {
    auto copy = std::make_shared<TensorDesc>(desc);
    if (!first) first = copy;
    handles.push_back(static_cast<aclTensorDesc*>(TensorDescs().Add(std::move(copy))));
  }
  if (handles.empty()) return nullptr;
  first->elements.assign(handles.begin() + 1, handles.end());
  return handles[0];
}

}  // namespace

aclError DescribeFailedTask(uint32_t device, uint32_t stream, uint32_t task, char* name, size_t name_bytes,
                            aclTensorDesc** inputs, size_t* num_inputs, aclTensorDesc** outputs, size_t* num_outputs) {
  const auto failure = runtime::FindFailure(device, stream, task);
  if (!failure || failure->operands == nullptr) {
    return Fail(ACL_ERROR_INVALID_PARAM, "task " + std::to_string(task) + " of stream " + std::to_string(stream) +
                                             " is no operator that failed lately");
  }
  if (name_bytes <= failure->kernel.size()) {
    return Fail(ACL_ERROR_INVALID_PARAM, "the name '" + failure->kernel + "' needs room for " +
                                             std::to_string(failure->kernel.size() + 1) + " bytes");
  }
  std::memcpy(name, failure->kernel.c_str(), failure->kernel.size() + 1);
  const auto* operands = static_cast<const TaskOperands*>(failure->operands.get());
  *inputs = MakeArray(operands->inputs);
  *num_inputs = operands->inputs.size();
  *outputs = MakeArray(operands->outputs);
  *num_outputs = operands->outputs.size();
  return ACL_SUCCESS;
}

}  // namespace atc::acl
