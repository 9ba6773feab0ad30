// Element types, numbered as ge::DataType (the C++ enumeration of GE, also ACL's aclDataType).
// The om's protobuf and ONNX number them differently; the table in data_type.cc maps all three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atc {

enum DataType : int16_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_STRING = 13,      // elements are std::string in memory
  DT_COMPLEX64 = 16,   // std::complex<float>
  DT_COMPLEX128 = 17,  // std::complex<double>
  DT_VARIANT = 26,     // elements are Tensor: a sequence; an optional is one of length 0 or 1
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,   // two per byte, low nibble first
  DT_UINT1 = 30,
  DT_INT2 = 31,   // four per byte, low bits first
  DT_UINT2 = 32,
  DT_COMPLEX32 = 33,
  DT_HIFLOAT8 = 34,
  DT_FLOAT8_E5M2 = 35,
  DT_FLOAT8_E4M3FN = 36,
  DT_FLOAT8_E8M0 = 37,
  DT_FLOAT6_E3M2 = 38,
  DT_FLOAT6_E2M3 = 39,
  DT_FLOAT4_E2M1 = 40,
  DT_FLOAT4_E1M2 = 41,
  // Types of ONNX that GE has no number for; private to this project.
  DT_UINT4 = 1001,
  DT_FLOAT8_E4M3FNUZ = 1002,
  DT_FLOAT8_E5M2FNUZ = 1003,
};

// "DT_FLOAT16"; "DT_UNDEFINED" for a number that is none.
std::string_view DataTypeName(DataType dtype);
// The inverse of DataTypeName; DT_UNDEFINED when unknown.
DataType DataTypeFromName(std::string_view name);

// Number in ONNX's TensorProto.DataType; 0 when ONNX has none.
int OnnxNumber(DataType dtype);
DataType DataTypeFromOnnx(int number);

// Number in ge.proto's DataType; 0 (undefined) when it has none.
int GeProtoNumber(DataType dtype);
DataType DataTypeFromGeProto(int number);

// Bits of one element in memory; 0 for DT_UNDEFINED. A DT_STRING or DT_VARIANT element counts as its C++ object.
int DataTypeBits(DataType dtype);
// Bytes that `count` elements take, sub-byte types packed and rounded up.
size_t DataTypeBytes(DataType dtype, int64_t count);

bool IsFloating(DataType dtype);  // any binary floating-point type, complex excluded
bool IsInteger(DataType dtype);   // signed or unsigned, bool excluded
bool IsHalf(DataType dtype);      // DT_FLOAT16 or DT_BF16: the types that kernels widen to float

}  // namespace atc
