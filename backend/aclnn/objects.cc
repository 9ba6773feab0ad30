#include "backend/aclnn/objects.h"

#include <algorithm>

namespace atc::aclnn {
namespace {

template <class T, acl::HandleKind kKind>
HandleTable<T>& Table() {
  // Never destroyed: a program's own statics may use the API until the process ends.
  static auto* table = new HandleTable<T>(kKind);
  return *table;
}

}  // namespace

HandleTable<Tensor>& Tensors() { return Table<Tensor, acl::HandleKind::kTensor>(); }
HandleTable<Scalar>& Scalars() { return Table<Scalar, acl::HandleKind::kScalar>(); }
HandleTable<Array<int64_t>>& IntArrays() { return Table<Array<int64_t>, acl::HandleKind::kIntArray>(); }
HandleTable<Array<float>>& FloatArrays() { return Table<Array<float>, acl::HandleKind::kFloatArray>(); }
HandleTable<Array<bool>>& BoolArrays() { return Table<Array<bool>, acl::HandleKind::kBoolArray>(); }
HandleTable<TensorList>& TensorLists() { return Table<TensorList, acl::HandleKind::kTensorList>(); }
HandleTable<ScalarList>& ScalarLists() { return Table<ScalarList, acl::HandleKind::kScalarList>(); }

bool View::contiguous() const {
  int64_t expected = 1;
  for (size_t i = shape.rank(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return shape.NumElements() == 0;
    expected *= shape[i];
  }
  return true;
}

size_t View::begin_bytes() const { return DataTypeBytes(dtype, offset); }

size_t View::end_bytes() const {
  if (shape.NumElements() == 0) return begin_bytes();
  int64_t last = offset;
  for (size_t i = 0; i < shape.rank(); ++i) last += (shape[i] - 1) * strides[i];
  return DataTypeBytes(dtype, last + 1);
}

}  // namespace atc::aclnn
