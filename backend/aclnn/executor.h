// What phase 1 leaves for phase 2: a plan and the addresses that it is to run on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/acl/handle_table.h"
#include "backend/aclnn/plan.h"

namespace atc::aclnn {

struct Executor {
  std::mutex mutex;
  std::string name;  // "aclnnAdd"
  std::shared_ptr<Plan> plan;
  std::vector<TensorRef> tensors;  // addresses as they are to be used
  std::vector<std::string> names;  // of the tensors, for messages
  bool repeatable = false;
  Buffer workspace;  // where the caller brings none
};

acl::HandleTable<Executor>& Executors();

// Outputs that share memory with an input, by tensor.
std::vector<bool> SharedOutputs(const std::vector<TensorRef>& tensors);

// The kernel of an NPU would fault at such an address; here it is found before it is touched: 507015 where the view at
// `address` is not within device memory. `name`: the argument's, for the message.
aclError CheckAddress(const std::string& name, const View& view, const void* address);

// Queues a run of the executor's plan on its addresses. `workspace` has as many bytes as the plan asks for.
aclnnStatus Launch(std::shared_ptr<Executor> executor, void* workspace, aclrtStream stream);

}  // namespace atc::aclnn
