#include "backend/aclnn/type_rules.h"

#include <algorithm>

namespace atc::aclnn {
namespace {

bool IsSigned(DataType dtype) {
  return dtype == DT_INT8 || dtype == DT_INT16 || dtype == DT_INT32 || dtype == DT_INT64;
}

std::optional<DataType> PromoteIntegers(DataType a, DataType b) {
  if (IsSigned(a) == IsSigned(b)) return DataTypeBits(a) >= DataTypeBits(b) ? a : b;
  const DataType positive = IsSigned(a) ? b : a;
  const DataType with_sign = IsSigned(a) ? a : b;
  if (positive != DT_UINT8) return std::nullopt;
  return with_sign == DT_INT8 ? DT_INT16 : with_sign;
}

}  // namespace

TypeClass ClassOf(DataType dtype) {
  if (dtype == DT_BOOL) return TypeClass::kBool;
  if (dtype == DT_COMPLEX64 || dtype == DT_COMPLEX128) return TypeClass::kComplex;
  if (dtype == DT_FLOAT || dtype == DT_DOUBLE || IsHalf(dtype)) return TypeClass::kFloat;
  if (IsInteger(dtype) && DataTypeBits(dtype) >= 8) return TypeClass::kInteger;
  return TypeClass::kOther;
}

std::optional<DataType> Promote(DataType a, DataType b) {
  if (a == b) return a;
  const TypeClass low = std::min(ClassOf(a), ClassOf(b));
  const TypeClass high = std::max(ClassOf(a), ClassOf(b));
  if (high == TypeClass::kOther) return std::nullopt;
  const DataType higher = ClassOf(a) == high ? a : b;
  const DataType lower = ClassOf(a) == high ? b : a;
  if (low != high) {
    if (high == TypeClass::kComplex && lower == DT_DOUBLE) return DT_COMPLEX128;
    return higher;
  }
  if (high == TypeClass::kInteger) return PromoteIntegers(a, b);
  if (IsHalf(a) && IsHalf(b)) return DT_FLOAT;
  return DataTypeBits(a) >= DataTypeBits(b) ? a : b;
}

std::optional<DataType> PromoteScalar(DataType tensor, DataType scalar) {
  const TypeClass of_tensor = ClassOf(tensor);
  const TypeClass of_scalar = ClassOf(scalar);
  if (of_tensor == TypeClass::kOther || of_scalar == TypeClass::kOther) return std::nullopt;
  if (of_scalar <= of_tensor) return tensor;
  if (of_scalar == TypeClass::kFloat) return DT_FLOAT;
  if (of_scalar == TypeClass::kComplex) return tensor == DT_DOUBLE ? DT_COMPLEX128 : DT_COMPLEX64;
  return scalar;
}

bool CanCast(DataType from, DataType to) {
  const TypeClass source = ClassOf(from);
  const TypeClass target = ClassOf(to);
  return from == to || (source != TypeClass::kOther && target != TypeClass::kOther && source <= target);
}

}  // namespace atc::aclnn
