// What the handles of aclnn stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/acl/handle_table.h"
#include "backend/acl/include/aclnn/acl_meta.h"
#include "compiler/ir/data_type.h"
#include "compiler/ir/format.h"
#include "compiler/ir/shape.h"

namespace atc::aclnn {

using acl::HandleTable;

// A view of storage: element (i, j, ...) lies offset + i * strides[0] + j * strides[1] + ... elements after its start.
struct View {
  DataType dtype = DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_ND;  // as given
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  Shape storage;

  // Row-major without gaps, wherever it begins.
  bool contiguous() const;
  // Bytes from the start of the storage to the view's first element, and to the end of what the view reaches.
  size_t begin_bytes() const;
  size_t end_bytes() const;
};

struct Tensor {
  mutable std::mutex mutex;
  View view;
  void* data = nullptr;

  View CopyView() const {
    std::lock_guard lock(mutex);
    return view;
  }
  void* CopyData() const {
    std::lock_guard lock(mutex);
    return data;
  }
};

// A typed number of the host.
struct Scalar {
  DataType dtype = DT_UNDEFINED;
  std::vector<std::byte> bytes;
};

template <class T>
struct Array {
  std::vector<T> values;
};

struct TensorList {
  std::vector<aclTensor*> handles;
  std::vector<std::shared_ptr<Tensor>> tensors;
};

struct ScalarList {
  std::vector<std::shared_ptr<Scalar>> scalars;
};

HandleTable<Tensor>& Tensors();
HandleTable<Scalar>& Scalars();
HandleTable<Array<int64_t>>& IntArrays();
HandleTable<Array<float>>& FloatArrays();
HandleTable<Array<bool>>& BoolArrays();
HandleTable<TensorList>& TensorLists();
HandleTable<ScalarList>& ScalarLists();

}  // namespace atc::aclnn
