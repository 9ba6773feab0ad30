// What the handles of the base API stand for, and the tables that know them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backend/acl/handle_table.h"
#include "backend/acl/include/acl/acl_base.h"
#include "compiler/ir/data_type.h"
#include "compiler/ir/format.h"
#include "compiler/ir/shape.h"

namespace atc::acl {

struct Buffer {
  std::mutex mutex;
  void* data = nullptr;
  size_t bytes = 0;
};

struct TensorDesc {
  DataType dtype = DT_UNDEFINED;
  Format format = FORMAT_ND;
  Shape shape;
  std::string name;
};

HandleTable<Buffer>& Buffers();
HandleTable<TensorDesc>& TensorDescs();

// The numbers are the same; ACL_DT_UNDEFINED for an element type that ACL has none for.
aclDataType ToAcl(DataType dtype);
DataType FromAcl(aclDataType dtype);

// Bytes of a tensor; none where a dim is unknown, the type has no fixed size or the number would not fit.
std::optional<size_t> TensorBytes(DataType dtype, const Shape& shape);
// Number of elements; none where a dim is unknown or the number would not fit.
std::optional<int64_t> ElementCount(const Shape& shape);

}  // namespace atc::acl
