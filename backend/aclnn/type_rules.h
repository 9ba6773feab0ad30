// Which element types combine to which, as the operator calls' documents have it (the rules of PyTorch).
#pragma once

#include <optional>

#include "compiler/ir/data_type.h"

namespace atc::aclnn {

enum class TypeClass { kBool, kInteger, kFloat, kComplex, kOther };

TypeClass ClassOf(DataType dtype);

// The type that both are brought to: the wider of the higher class; fp16 with bf16 gives float. None where there is none
// (wide unsigned with signed integers, types of other classes).
std::optional<DataType> Promote(DataType a, DataType b);
// The same where the second is a number of the host, which raises a class but never a width: an integer tensor with a
// float scalar gives float.
std::optional<DataType> PromoteScalar(DataType tensor, DataType scalar);

// Results may be cast up a class, or within one, never down.
bool CanCast(DataType from, DataType to);

}  // namespace atc::aclnn
