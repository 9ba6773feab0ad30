// What the handles of the base API stand for, and the tables that know them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  // Of single operators.
  std::optional<Shape> origin_shape;
  std::optional<Format> origin_format;
  std::optional<Shape> storage_shape;
  std::optional<Format> storage_format;
  std::vector<std::pair<int64_t, int64_t>> ranges;        // of each dim
  std::vector<std::pair<int64_t, int64_t>> value_ranges;  // of each element
  std::shared_ptr<const std::vector<std::byte>> constant;  // its value, known ahead
  aclMemType placement = ACL_MEMTYPE_DEVICE;
  std::string dynamic_input;
  // Of an array that aclmdlCreateAndGetOpDesc gave: its further elements, and where the tensor lies.
  std::vector<aclTensorDesc*> elements;
  void* address = nullptr;
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
