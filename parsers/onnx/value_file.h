// Values stored as files of their own: TensorProto, SequenceProto, OptionalProto (test data, inputs of a run).
#pragma once

#include <string>

#include "compiler/ir/tensor.h"

namespace atc {

// A TensorProto. Errors: E13001 (cannot be opened), E13005, E13014 as for models.
Tensor ReadTensorFile(const std::string& path);

// A SequenceProto or an OptionalProto, which are written alike: a DT_VARIANT tensor of rank 1 with one element for each
// value; nested ones are such tensors themselves. An empty file is an empty optional.
Tensor ReadVariantFile(const std::string& path);

}  // namespace atc
