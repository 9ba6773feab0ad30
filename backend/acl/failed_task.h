// What a failed task worked on, as aclmdlCreateAndGetOpDesc tells it.
#pragma once

#include <vector>

#include "backend/acl/guard.h"
#include "backend/acl/objects.h"

namespace atc::acl {

// What runtime::Task::operands points to.
struct TaskOperands {
  std::vector<TensorDesc> inputs;
  std::vector<TensorDesc> outputs;
};

// The arguments of aclmdlCreateAndGetOpDesc, none of them NULL.
aclError DescribeFailedTask(uint32_t device, uint32_t stream, uint32_t task, char* name, size_t name_bytes,
                            aclTensorDesc** inputs, size_t* num_inputs, aclTensorDesc** outputs, size_t* num_outputs);

}  // namespace atc::acl
