// From a DataType to a C++ type: a kernel is a template over element types, and these choose the instance.
// The lists are short on purpose: each entry is one more instance of every kernel that names the list.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/kernel_context.h"

namespace atc {

template <typename... Ts>
struct Types {};

using FloatTypes = Types<float, double>;
using IntTypes = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using NumberTypes =
    Types<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
using NumberAndBoolTypes =
    Types<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, bool>;
using IndexTypes = Types<int32_t, int64_t>;

// The dtype whose elements are held as T; fp16 and bf16 have none, as kernels see them widened to float.
template <typename T>
inline constexpr DataType kDataTypeOf = DT_UNDEFINED;
template <>
inline constexpr DataType kDataTypeOf<float> = DT_FLOAT;
template <>
inline constexpr DataType kDataTypeOf<double> = DT_DOUBLE;
template <>
inline constexpr DataType kDataTypeOf<int8_t> = DT_INT8;
template <>
inline constexpr DataType kDataTypeOf<int16_t> = DT_INT16;
template <>
inline constexpr DataType kDataTypeOf<int32_t> = DT_INT32;
template <>
inline constexpr DataType kDataTypeOf<int64_t> = DT_INT64;
template <>
inline constexpr DataType kDataTypeOf<uint8_t> = DT_UINT8;
template <>
inline constexpr DataType kDataTypeOf<uint16_t> = DT_UINT16;
template <>
inline constexpr DataType kDataTypeOf<uint32_t> = DT_UINT32;
template <>
inline constexpr DataType kDataTypeOf<uint64_t> = DT_UINT64;
template <>
inline constexpr DataType kDataTypeOf<bool> = DT_BOOL;
template <>
inline constexpr DataType kDataTypeOf<std::string> = DT_STRING;

[[noreturn]] inline void FailOnType(const KernelContext& ctx, DataType dtype) {
  ctx.Fail("element type " + std::string(DataTypeName(dtype)) + " is not supported by this operator");
}

// Calls fn.operator()<T>() with the T of the list that holds `dtype`; fails naming the type when none does.
template <typename... Ts, typename F>
void Dispatch(Types<Ts...>, const KernelContext& ctx, DataType dtype, F&& fn) {
  const bool found = ((kDataTypeOf<Ts> == dtype && (fn.template operator()<Ts>(), true)) || ...);
  if (!found) FailOnType(ctx, dtype);
}

struct Bytes16 {
  uint64_t low, high;
};

// For kernels that only move elements: calls fn.operator()<T>() with a T as wide as an element (an unsigned integer,
// Bytes16, std::string or Tensor). Types narrower than a byte fail: they are packed.
template <typename F>
void DispatchMovable(const KernelContext& ctx, DataType dtype, F&& fn) {
  if (dtype == DT_STRING) return fn.template operator()<std::string>();
  if (dtype == DT_VARIANT) return fn.template operator()<Tensor>();
  switch (DataTypeBits(dtype)) {
    case 8: return fn.template operator()<uint8_t>();
    case 16: return fn.template operator()<uint16_t>();
    case 32: return fn.template operator()<uint32_t>();
    case 64: return fn.template operator()<uint64_t>();
    case 128: return fn.template operator()<Bytes16>();
    default: FailOnType(ctx, dtype);
  }
}

}  // namespace atc
