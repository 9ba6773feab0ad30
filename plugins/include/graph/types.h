// Element types, storage formats and small names of the graph API, with the numbers that they have everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "graph/c_types.h"
#include "graph/compiler_def.h"

namespace ge {

using char_t = char;
using float32_t = float;
using float64_t = double;

constexpr int64_t SHAPE_RANGE_LOWER_LIMIT = 0;
constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_DIM_NUM = -2;
static const std::vector<int64_t> UNKNOWN_SHAPE = {-1};
static const std::vector<int64_t> UNKNOWN_RANK = {-2};
static const std::vector<int64_t> DUMMY_SHAPE = {-3};

// Types of less than a byte: GetSizeByDataType gives their bits plus this.
constexpr int32_t kDataTypeSizeBitOffset = 1000;
constexpr uint32_t kBitNumOfOneByte = 8;
constexpr uint32_t kBitThreeBytes = 24;

enum DataType {
  DT_FLOAT = C_DT_FLOAT,
  DT_FLOAT16 = C_DT_FLOAT16,
  DT_INT8 = C_DT_INT8,
  DT_INT32 = C_DT_INT32,
  DT_UINT8 = C_DT_UINT8,
  DT_INT16 = C_DT_INT16,
  DT_UINT16 = C_DT_UINT16,
  DT_UINT32 = C_DT_UINT32,
  DT_INT64 = C_DT_INT64,
  DT_UINT64 = C_DT_UINT64,
  DT_DOUBLE = C_DT_DOUBLE,
  DT_BOOL = C_DT_BOOL,
  DT_STRING = C_DT_STRING,
  DT_DUAL_SUB_INT8 = C_DT_DUAL_SUB_INT8,
  DT_DUAL_SUB_UINT8 = C_DT_DUAL_SUB_UINT8,
  DT_COMPLEX64 = C_DT_COMPLEX64,
  DT_COMPLEX128 = C_DT_COMPLEX128,
  DT_QINT8 = C_DT_QINT8,
  DT_QINT16 = C_DT_QINT16,
  DT_QINT32 = C_DT_QINT32,
  DT_QUINT8 = C_DT_QUINT8,
  DT_QUINT16 = C_DT_QUINT16,
  DT_RESOURCE = C_DT_RESOURCE,
  DT_STRING_REF = C_DT_STRING_REF,
  DT_DUAL = C_DT_DUAL,
  DT_VARIANT = C_DT_VARIANT,
  DT_BF16 = C_DT_BF16,
  DT_UNDEFINED = C_DT_UNDEFINED,
  DT_INT4 = C_DT_INT4,
  DT_UINT1 = C_DT_UINT1,
  DT_INT2 = C_DT_INT2,
  DT_UINT2 = C_DT_UINT2,
  DT_COMPLEX32 = C_DT_COMPLEX32,
  DT_HIFLOAT8 = C_DT_HIFLOAT8,
  DT_FLOAT8_E5M2 = C_DT_FLOAT8_E5M2,
  DT_FLOAT8_E4M3FN = C_DT_FLOAT8_E4M3FN,
  DT_FLOAT8_E8M0 = C_DT_FLOAT8_E8M0,
  DT_FLOAT6_E3M2 = C_DT_FLOAT6_E3M2,
  DT_FLOAT6_E2M3 = C_DT_FLOAT6_E2M3,
  DT_FLOAT4_E2M1 = C_DT_FLOAT4_E2M1,
  DT_FLOAT4_E1M2 = C_DT_FLOAT4_E1M2,
  DT_HIFLOAT4 = C_DT_HIFLOAT4,
  DT_MAX = C_DT_MAX
};

enum Format {
  FORMAT_NCHW = C_FORMAT_NCHW,
  FORMAT_NHWC = C_FORMAT_NHWC,
  FORMAT_ND = C_FORMAT_ND,
  FORMAT_NC1HWC0 = C_FORMAT_NC1HWC0,
  FORMAT_FRACTAL_Z = C_FORMAT_FRACTAL_Z,
  FORMAT_NC1C0HWPAD = C_FORMAT_NC1C0HWPAD,
  FORMAT_NHWC1C0 = C_FORMAT_NHWC1C0,
  FORMAT_FSR_NCHW = C_FORMAT_FSR_NCHW,
  FORMAT_FRACTAL_DECONV = C_FORMAT_FRACTAL_DECONV,
  FORMAT_C1HWNC0 = C_FORMAT_C1HWNC0,
  FORMAT_FRACTAL_DECONV_TRANSPOSE = C_FORMAT_FRACTAL_DECONV_TRANSPOSE,
  FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS = C_FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS,
  FORMAT_NC1HWC0_C04 = C_FORMAT_NC1HWC0_C04,
  FORMAT_FRACTAL_Z_C04 = C_FORMAT_FRACTAL_Z_C04,
  FORMAT_CHWN = C_FORMAT_CHWN,
  FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS = C_FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS,
  FORMAT_HWCN = C_FORMAT_HWCN,
  FORMAT_NC1KHKWHWC0 = C_FORMAT_NC1KHKWHWC0,
  FORMAT_BN_WEIGHT = C_FORMAT_BN_WEIGHT,
  FORMAT_FILTER_HWCK = C_FORMAT_FILTER_HWCK,
  FORMAT_HASHTABLE_LOOKUP_LOOKUPS = C_FORMAT_HASHTABLE_LOOKUP_LOOKUPS,
  FORMAT_HASHTABLE_LOOKUP_KEYS = C_FORMAT_HASHTABLE_LOOKUP_KEYS,
  FORMAT_HASHTABLE_LOOKUP_VALUE = C_FORMAT_HASHTABLE_LOOKUP_VALUE,
  FORMAT_HASHTABLE_LOOKUP_OUTPUT = C_FORMAT_HASHTABLE_LOOKUP_OUTPUT,
  FORMAT_HASHTABLE_LOOKUP_HITS = C_FORMAT_HASHTABLE_LOOKUP_HITS,
  FORMAT_C1HWNCoC0 = C_FORMAT_C1HWNCoC0,
  FORMAT_MD = C_FORMAT_MD,
  FORMAT_NDHWC = C_FORMAT_NDHWC,
  FORMAT_FRACTAL_ZZ = C_FORMAT_FRACTAL_ZZ,
  FORMAT_FRACTAL_NZ = C_FORMAT_FRACTAL_NZ,
  FORMAT_NCDHW = C_FORMAT_NCDHW,
  FORMAT_DHWCN = C_FORMAT_DHWCN,
  FORMAT_NDC1HWC0 = C_FORMAT_NDC1HWC0,
  FORMAT_FRACTAL_Z_3D = C_FORMAT_FRACTAL_Z_3D,
  FORMAT_CN = C_FORMAT_CN,
  FORMAT_NC = C_FORMAT_NC,
  FORMAT_DHWNC = C_FORMAT_DHWNC,
  FORMAT_FRACTAL_Z_3D_TRANSPOSE = C_FORMAT_FRACTAL_Z_3D_TRANSPOSE,
  FORMAT_FRACTAL_ZN_LSTM = C_FORMAT_FRACTAL_ZN_LSTM,
  FORMAT_FRACTAL_Z_G = C_FORMAT_FRACTAL_Z_G,
  FORMAT_RESERVED = C_FORMAT_RESERVED,
  FORMAT_ALL = C_FORMAT_ALL,
  FORMAT_NULL = C_FORMAT_NULL,
  FORMAT_ND_RNN_BIAS = C_FORMAT_ND_RNN_BIAS,
  FORMAT_FRACTAL_ZN_RNN = C_FORMAT_FRACTAL_ZN_RNN,
  FORMAT_NYUV = C_FORMAT_NYUV,
  FORMAT_NYUV_A = C_FORMAT_NYUV_A,
  FORMAT_NCL = C_FORMAT_NCL,
  FORMAT_FRACTAL_Z_WINO = C_FORMAT_FRACTAL_Z_WINO,
  FORMAT_C1HWC0 = C_FORMAT_C1HWC0,
  FORMAT_FRACTAL_NZ_C0_16 = C_FORMAT_FRACTAL_NZ_C0_16,
  FORMAT_FRACTAL_NZ_C0_32 = C_FORMAT_FRACTAL_NZ_C0_32,
  FORMAT_FRACTAL_NZ_C0_2 = C_FORMAT_FRACTAL_NZ_C0_2,
  FORMAT_FRACTAL_NZ_C0_4 = C_FORMAT_FRACTAL_NZ_C0_4,
  FORMAT_FRACTAL_NZ_C0_8 = C_FORMAT_FRACTAL_NZ_C0_8,
  FORMAT_END = C_FORMAT_END,
  FORMAT_MAX = C_FORMAT_MAX
};

// Bytes of an element, kDataTypeSizeBitOffset plus bits for types of less than a byte, -1 where it has no fixed size.
int GetSizeByDataType(DataType data_type);
// Bytes of so many elements; -1 where the type has no fixed size or they do not fit.
int64_t GetSizeInBytes(int64_t element_count, DataType data_type);
// "NCHW", ...; "RESERVED" for a number that is none.
const char_t* GetFormatName(Format format);

// A format carries a sub-format (the groups of FRACTAL_Z) in bits 8 to 23 and, in bits 24 to 27, one more than the
// binary logarithm of its C0.
inline int32_t GetFormatFromSubAndC0(int32_t primary, int32_t sub, int32_t c0) {
  return static_cast<int32_t>((static_cast<uint32_t>(primary) & 0xffU) | ((static_cast<uint32_t>(sub) & 0xffffU) << 8) |
                              ((static_cast<uint32_t>(c0) & 0xfU) << 24));
}
inline int32_t GetFormatFromSub(int32_t primary, int32_t sub) { return GetFormatFromSubAndC0(primary, sub, 0); }
inline int32_t GetFormatFromC0(int32_t format, int32_t c0) {
  return static_cast<int32_t>((static_cast<uint32_t>(format) & 0xffffffU) | ((static_cast<uint32_t>(c0) & 0xfU) << 24));
}
inline int32_t GetPrimaryFormat(int32_t format) { return static_cast<int32_t>(static_cast<uint32_t>(format) & 0xffU); }
inline int32_t GetSubFormat(int32_t format) {
  return static_cast<int32_t>((static_cast<uint32_t>(format) >> 8) & 0xffffU);
}
inline bool HasSubFormat(int32_t format) { return GetSubFormat(format) > 0; }
inline int32_t GetC0Format(int32_t format) {
  return static_cast<int32_t>((static_cast<uint32_t>(format) >> 24) & 0xfU);
}
inline bool HasC0Format(int32_t format) { return GetC0Format(format) > 0; }
inline int64_t GetC0Value(int32_t format) {
  return HasC0Format(format) ? int64_t{1} << (GetC0Format(format) - 1) : int64_t{-1};
}

enum UnknowShapeOpType {
  DEPEND_IN_SHAPE = 1,
  DEPEND_CONST_VALUE = 2,
  DEPEND_SHAPE_RANGE = 3,
  DEPEND_COMPUTE = 4
};

enum DeviceType { NPU = 0, CPU = 1 };

enum Placement { kPlacementHost = 0, kPlacementDevice = 1, kPlacementEnd };

struct TensorDescInfo {
  Format format_ = FORMAT_RESERVED;
  DataType dataType_ = DT_UNDEFINED;
};

// The element types that a port may have. This compiler asks its own operators what they take, so the set is only kept.
struct TensorType {
  TensorType(DataType type) : types{type} {}
  TensorType(std::initializer_list<DataType> all) : types(all) {}

  static TensorType ALL() { return TensorType({}); }
  static TensorType BasicType() { return ALL(); }
  static TensorType NumberType() { return ALL(); }
  static TensorType RealNumberType() { return ALL(); }
  static TensorType OrdinaryType() { return ALL(); }
  static TensorType UnaryDataType() { return TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128}); }
  static TensorType FLOAT() { return TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16}); }
  static TensorType FloatingDataType() { return TensorType({DT_DOUBLE, DT_FLOAT, DT_FLOAT16}); }
  static TensorType ComplexDataType() { return TensorType({DT_COMPLEX128, DT_COMPLEX64, DT_COMPLEX32}); }
  static TensorType IntegerDataType() {
    return TensorType({DT_INT16, DT_INT32, DT_INT64, DT_INT8, DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8});
  }
  static TensorType SignedDataType() { return TensorType({DT_INT16, DT_INT32, DT_INT64, DT_INT8}); }
  static TensorType UnsignedDataType() { return TensorType({DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8}); }
  static TensorType IndexNumberType() { return TensorType({DT_INT32, DT_INT64}); }
  static TensorType QuantifiedType() { return TensorType({DT_QINT16, DT_QINT32, DT_QINT8, DT_QUINT16, DT_QUINT8}); }

  std::vector<DataType> types;  // empty: any
};

struct ListTensorType {
  explicit ListTensorType(const TensorType& type) : element(type) {}
  TensorType element;
};

struct Promote {
  Promote(std::initializer_list<const char*> names) : symbols(names) {}
  std::vector<const char*> symbols;
};

}  // namespace ge
