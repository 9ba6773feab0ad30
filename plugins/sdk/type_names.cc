// Names and sizes of element types and formats.
#include <array>
#include <string_view>

#include "compiler/ir/data_type.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"

namespace ge {
namespace {

constexpr int kBitsOfByte = 8;

// By number of the format.
constexpr auto kFormatNames = std::to_array<const char*>({
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "FRACTAL_DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS", "HASHTABLE_LOOKUP_VALUE", "HASHTABLE_LOOKUP_OUTPUT", "HASHTABLE_LOOKUP_HITS",
    "C1HWNCoC0", "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW", "DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC",
    "DHWNC", "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM", "FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL", "FRACTAL_Z_WINO", "C1HWC0", "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_32",
    "FRACTAL_NZ_C0_2", "FRACTAL_NZ_C0_4", "FRACTAL_NZ_C0_8",
});
static_assert(kFormatNames.size() == FORMAT_END);

}  // namespace

int GetSizeByDataType(DataType data_type) {
  // What the compiler's types do not hold in bytes of their own, or not at all.
  switch (data_type) {
    case DT_DUAL_SUB_INT8:
    case DT_DUAL_SUB_UINT8:
    case DT_QINT8:
    case DT_QUINT8: return 1;
    case DT_QINT16:
    case DT_QUINT16: return 2;
    case DT_QINT32: return 4;
    case DT_DUAL: return 5;
    case DT_RESOURCE:
    case DT_VARIANT: return 8;
    case DT_HIFLOAT4: return kDataTypeSizeBitOffset + 4;
    case DT_STRING:
    case DT_STRING_REF:
    case DT_UNDEFINED:
    case DT_MAX: return -1;
    default: break;
  }
  const auto same = static_cast<atc::DataType>(data_type);
  if (atc::DataTypeFromName(atc::DataTypeName(same)) != same) return -1;
  const int bits = atc::DataTypeBits(same);
  return bits % kBitsOfByte == 0 ? bits / kBitsOfByte : kDataTypeSizeBitOffset + bits;
}

int64_t GetSizeInBytes(int64_t element_count, DataType data_type) {
  const int64_t size = GetSizeByDataType(data_type);
  if (size < 0 || element_count < 0) return -1;
  const bool in_bits = size > kDataTypeSizeBitOffset;
  int64_t total = 0;
  if (__builtin_mul_overflow(element_count, in_bits ? size - kDataTypeSizeBitOffset : size, &total)) return -1;
  return in_bits ? total / kBitsOfByte + (total % kBitsOfByte != 0) : total;
}

const char_t* GetFormatName(Format format) {
  const int32_t primary = GetPrimaryFormat(format);
  return static_cast<size_t>(primary) < kFormatNames.size() ? kFormatNames[primary] : kFormatNames[FORMAT_RESERVED];
}

AscendString TypeUtils::DataTypeToAscendString(const DataType& type) {
  const std::string_view name = atc::DataTypeName(static_cast<atc::DataType>(type));
  return AscendString(name.data(), name.size());
}

DataType TypeUtils::AscendStringToDataType(const AscendString& name) {
  const atc::DataType type = atc::DataTypeFromName(name.GetString());
  return type < static_cast<int>(DT_MAX) ? static_cast<DataType>(type) : DT_UNDEFINED;
}

AscendString TypeUtils::FormatToAscendString(const Format& format) { return GetFormatName(format); }

Format TypeUtils::AscendStringToFormat(const AscendString& name) {
  for (size_t i = 0; i < kFormatNames.size(); ++i) {
    if (name == kFormatNames[i]) return static_cast<Format>(i);
  }
  return FORMAT_RESERVED;
}

bool TypeUtils::GetDataTypeLength(DataType type, uint32_t& length) {
  const int size = GetSizeByDataType(type);
  if (size < 0 || size > kDataTypeSizeBitOffset) return false;
  length = static_cast<uint32_t>(size);
  return true;
}

}  // namespace ge
