#include "compiler/ir/data_type.h"

#include <string>

#include "compiler/ir/tensor.h"

namespace atc {
namespace {

enum Kind : uint8_t { kNone, kFloat, kInt, kOther };

struct Row {
  DataType dtype;
  std::string_view name;
  int onnx;
  int ge_proto;
  int bits;
  Kind kind;
};

constexpr Row kRows[] = {
    {DT_FLOAT, "DT_FLOAT", 1, 1, 32, kFloat},
    {DT_FLOAT16, "DT_FLOAT16", 10, 2, 16, kFloat},
    {DT_INT8, "DT_INT8", 3, 3, 8, kInt},
    {DT_INT32, "DT_INT32", 6, 7, 32, kInt},
    {DT_UINT8, "DT_UINT8", 2, 4, 8, kInt},
    {DT_INT16, "DT_INT16", 5, 5, 16, kInt},
    {DT_UINT16, "DT_UINT16", 4, 6, 16, kInt},
    {DT_UINT32, "DT_UINT32", 12, 9, 32, kInt},
    {DT_INT64, "DT_INT64", 7, 8, 64, kInt},
    {DT_UINT64, "DT_UINT64", 13, 10, 64, kInt},
    {DT_DOUBLE, "DT_DOUBLE", 11, 12, 64, kFloat},
    {DT_BOOL, "DT_BOOL", 9, 11, 8, kOther},
    {DT_STRING, "DT_STRING", 8, 13, 8 * sizeof(std::string), kOther},
    {DT_COMPLEX64, "DT_COMPLEX64", 14, 16, 64, kOther},
    {DT_COMPLEX128, "DT_COMPLEX128", 15, 17, 128, kOther},
    {DT_VARIANT, "DT_VARIANT", 0, 26, 8 * sizeof(Tensor), kOther},
    {DT_BF16, "DT_BF16", 16, 27, 16, kFloat},
    {DT_INT4, "DT_INT4", 22, 28, 4, kInt},
    {DT_UINT1, "DT_UINT1", 0, 29, 1, kInt},
    {DT_INT2, "DT_INT2", 26, 30, 2, kInt},
    {DT_UINT2, "DT_UINT2", 25, 31, 2, kInt},
    {DT_COMPLEX32, "DT_COMPLEX32", 0, 32, 32, kOther},
    {DT_HIFLOAT8, "DT_HIFLOAT8", 0, 33, 8, kFloat},
    {DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2", 19, 34, 8, kFloat},
    {DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", 17, 35, 8, kFloat},
    {DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0", 24, 36, 8, kFloat},
    {DT_FLOAT6_E3M2, "DT_FLOAT6_E3M2", 0, 37, 6, kFloat},
    {DT_FLOAT6_E2M3, "DT_FLOAT6_E2M3", 0, 38, 6, kFloat},
    {DT_FLOAT4_E2M1, "DT_FLOAT4_E2M1", 23, 39, 4, kFloat},
    {DT_FLOAT4_E1M2, "DT_FLOAT4_E1M2", 0, 40, 4, kFloat},
    {DT_UINT4, "DT_UINT4", 21, 0, 4, kInt},
    {DT_FLOAT8_E4M3FNUZ, "DT_FLOAT8_E4M3FNUZ", 18, 0, 8, kFloat},
    {DT_FLOAT8_E5M2FNUZ, "DT_FLOAT8_E5M2FNUZ", 20, 0, 8, kFloat},
};

constexpr Row kUndefined = {DT_UNDEFINED, "DT_UNDEFINED", 0, 0, 0, kNone};

const Row& Find(DataType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row;
  }
  return kUndefined;
}

}  // namespace

std::string_view DataTypeName(DataType dtype) { return Find(dtype).name; }

DataType DataTypeFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return DT_UNDEFINED;
}

int OnnxNumber(DataType dtype) { return Find(dtype).onnx; }

DataType DataTypeFromOnnx(int number) {
  for (const Row& row : kRows) {
    if (row.onnx == number && number != 0) return row.dtype;
  }
  return DT_UNDEFINED;
}

int GeProtoNumber(DataType dtype) { return Find(dtype).ge_proto; }

DataType DataTypeFromGeProto(int number) {
  for (const Row& row : kRows) {
    if (row.ge_proto == number && number != 0) return row.dtype;
  }
  return DT_UNDEFINED;
}

int DataTypeBits(DataType dtype) { return Find(dtype).bits; }

size_t DataTypeBytes(DataType dtype, int64_t count) {
  return (static_cast<size_t>(count) * static_cast<size_t>(DataTypeBits(dtype)) + 7) / 8;
}

bool IsFloating(DataType dtype) { return Find(dtype).kind == kFloat; }
bool IsInteger(DataType dtype) { return Find(dtype).kind == kInt; }
bool IsHalf(DataType dtype) { return dtype == DT_FLOAT16 || dtype == DT_BF16; }

}  // namespace atc
