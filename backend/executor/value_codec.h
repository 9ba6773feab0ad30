// Strings and sequences as bytes, for buffers that carry a value of the model to or from the device.
//
// The shape travels beside the buffer, as for any tensor. All numbers are little-endian.
//   DT_STRING   one record an element, row-major: u64 count of bytes, the bytes.
//   DT_VARIANT  one record an element: u64 count of bytes, then a tensor: i32 dtype (ge::DataType), u32 rank,
//               i64 dims[rank], and its data: plain elements as they lie in memory, strings and sequences as above.
// An optional is a sequence of one element or none. An absent element has dtype DT_UNDEFINED, rank 0 and no data.
#pragma once

#include <span>
#include <string>

#include "compiler/ir/tensor.h"

namespace atc {

// Whether values of this type travel in this form rather than as plain elements.
inline bool IsSerialised(DataType dtype) { return dtype == DT_STRING || dtype == DT_VARIANT; }

// The elements of a DT_STRING or DT_VARIANT tensor.
std::string SerialiseElements(const Tensor& tensor);
// The tensor of which `bytes` holds the elements; further bytes are ignored at the outermost level, for buffers may have
// more room than the value takes. Throws Error (E19999) where they do not hold such a tensor.
Tensor ParseElements(DataType dtype, const Shape& shape, std::span<const std::byte> bytes);

}  // namespace atc
