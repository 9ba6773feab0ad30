// The file that --singleop names: operators to be compiled one by one.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/attr.h"
#include "compiler/ir/graph.h"

namespace atc::cli {

struct SingleOpTensor {
  std::string name;  // may be empty
  TensorDesc desc;   // as the framework sees it; DT_UNDEFINED: an optional input that is left out
  TensorDesc stored;  // as its bytes lie: "format" and "shape"; like `desc` without origin_format and origin_shape
  bool is_const = false;
  Tensor value;      // of a constant, as stored

  // Whether the bytes lie otherwise than the framework sees the tensor.
  bool HasStorageFormat() const { return desc.origin_shape != stored.origin_shape || desc.origin_format != stored.origin_format; }
};

struct SingleOp {
  std::string type;
  std::string name;  // may be empty
  std::vector<SingleOpTensor> inputs, outputs;
  AttrMap attrs;

  // The name of its om without suffix: `name`, else "<index>_<type>" and for each tensor "_<dtype>_<format>_<dims...>" in
  // GE's numbers, cut to 128 characters.
  std::string FileName(size_t index) const;
};

// Reads the array of operators. Throws E10024 (cannot be opened), E10025 (no JSON), E10023 (no array of operators),
// E10026 (an operator without "op"), E10027 (a tensor), E10029 and E10030 (an attribute), E13015 (too large).
std::vector<SingleOp> ReadSingleOps(const std::string& path);

// A graph of the operator alone: Data for its inputs, Const for constant ones, NetOutput; around tensors in a storage
// format stands what turns them into what the framework sees, and back. Throws E10501 (no operator of
// that type), E14001 (inputs, outputs or attributes that it does not have or that are missing).
std::unique_ptr<Graph> SingleOpGraph(SingleOp op);

}  // namespace atc::cli
