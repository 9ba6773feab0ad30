// Runs one operator call: memory of the host and the device, tensors, both phases, and the way back.
#pragma once

#include <functional>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "operator_desc.h"

// Both phases of one operator, over its tensors in the order of the description.
struct OperatorCall {
  std::function<aclnnStatus(const std::vector<aclTensor*>& inputs, const std::vector<aclTensor*>& outputs, uint64_t* workspace_size,
                            aclOpExecutor** executor)>
      get_workspace_size;
  std::function<aclnnStatus(void* workspace, uint64_t workspace_size, aclOpExecutor* executor, aclrtStream stream)> run;
};

class OpRunner {
 public:
  OpRunner(const OperatorDesc& desc, OperatorCall call) : desc_(desc), call_(std::move(call)) {}
  ~OpRunner();
  OpRunner(const OpRunner&) = delete;
  OpRunner& operator=(const OpRunner&) = delete;

  // Allocates all memory and makes the tensors.
  bool Init();
  // Copies the inputs to the device, runs the operator, waits for it at most 5 s, and copies the outputs back.
  bool RunOp();

  void* InputBuffer(size_t index) const { return host_inputs_[index]; }
  void* OutputBuffer(size_t index) const { return host_outputs_[index]; }

 private:
  bool MakeTensors(const std::vector<TensorSpec>& specs, std::vector<void*>* device, std::vector<void*>* host,
                   std::vector<aclTensor*>* tensors);

  const OperatorDesc& desc_;
  const OperatorCall call_;
  std::vector<void*> device_inputs_, device_outputs_;
  std::vector<void*> host_inputs_, host_outputs_;
  std::vector<aclTensor*> input_tensors_, output_tensors_;
};

// False, with a line on stderr that says what failed and why, unless the code is 0.
bool Succeeded(int code, const char* what);
