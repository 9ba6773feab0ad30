// The type of an output that holds places or counts.
#pragma once

#include <string>

#include "compiler/ir/data_type.h"

namespace atc {

// `dtype` as an attribute names it. Fails unless it is int32 or int64, which alone kernels write.
template <typename Context>
DataType CheckedIndexType(const Context& ctx, DataType dtype) {
  if (dtype != DT_INT32 && dtype != DT_INT64) {
    ctx.Fail("indices cannot be " + std::string(DataTypeName(dtype)) + ", wanted DT_INT32 or DT_INT64");
  }
  return dtype;
}

}  // namespace atc
