#include "compiler/ir/kernel_context.h"

#include "compiler/ir/error.h"
#include "compiler/ir/shape_limit.h"

namespace atc {

KernelContext::KernelContext(const Node& node, std::vector<Tensor> inputs, Allocator allocate, RunGraph run_graph)
    : node_(node),
      inputs_(std::move(inputs)),
      outputs_(node.outputs.size()),
      allocate_(std::move(allocate)),
      run_graph_(std::move(run_graph)) {}

Tensor& KernelContext::Out(size_t i, DataType dtype, const Shape& shape) {
  if (!IsCountable(shape)) {
    Fail("output " + std::to_string(i) + " of shape " + ToString(shape) + " would have more than " +
         std::to_string(kMaxElements) + " elements");
  }
  outputs_[i] = allocate_ ? allocate_(i, dtype, shape) : Tensor::Allocate(dtype, shape);
  return outputs_[i];
}

void KernelContext::Fail(const std::string& message) const {
  Error error = Error::Internal(message);
  error.At("node '" + node_.name + "' (" + node_.type().str() + ")");
  throw error;
}

}  // namespace atc
