#include "operator_desc.h"

size_t TensorSpec::Elements() const {
  size_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return count;
}

OperatorDesc& OperatorDesc::AddInputTensorDesc(aclDataType type, std::vector<int64_t> dims, aclFormat format) {
  inputs_.push_back({type, std::move(dims), format});
  return *this;
}

OperatorDesc& OperatorDesc::AddOutputTensorDesc(aclDataType type, std::vector<int64_t> dims, aclFormat format) {
  outputs_.push_back({type, std::move(dims), format});
  return *this;
}
