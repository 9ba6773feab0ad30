// What an operator call works on: types, shapes and formats of its inputs and outputs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"

struct TensorSpec {
  aclDataType type;
  std::vector<int64_t> dims;
  aclFormat format;

  size_t Elements() const;
  size_t Bytes() const { return Elements() * aclDataTypeSize(type); }
};

class OperatorDesc {
 public:
  explicit OperatorDesc(std::string op_type) : op_type_(std::move(op_type)) {}

  OperatorDesc& AddInputTensorDesc(aclDataType type, std::vector<int64_t> dims, aclFormat format);
  OperatorDesc& AddOutputTensorDesc(aclDataType type, std::vector<int64_t> dims, aclFormat format);

  const std::string& op_type() const { return op_type_; }
  const std::vector<TensorSpec>& inputs() const { return inputs_; }
  const std::vector<TensorSpec>& outputs() const { return outputs_; }

 private:
  std::string op_type_;
  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
};
