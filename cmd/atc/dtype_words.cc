#include "cmd/atc/dtype_words.h"

namespace atc::cli {
namespace {

constexpr std::pair<std::string_view, DataType> kWords[] = {
    {"bf16", DT_BF16},
    {"bfloat16", DT_BF16},
    {"bool", DT_BOOL},
    {"complex128", DT_COMPLEX128},
    {"complex32", DT_COMPLEX32},
    {"complex64", DT_COMPLEX64},
    {"double", DT_DOUBLE},
    {"float", DT_FLOAT},
    {"float16", DT_FLOAT16},
    {"float32", DT_FLOAT},
    {"float8_e4m3fn", DT_FLOAT8_E4M3FN},
    {"float8_e5m2", DT_FLOAT8_E5M2},
    {"fp16", DT_FLOAT16},
    {"fp32", DT_FLOAT},
    {"half", DT_FLOAT16},
    {"hifloat8", DT_HIFLOAT8},
    {"int16", DT_INT16},
    {"int32", DT_INT32},
    {"int4", DT_INT4},
    {"int64", DT_INT64},
    {"int8", DT_INT8},
    {"uint1", DT_UINT1},
    {"uint16", DT_UINT16},
    {"uint32", DT_UINT32},
    {"uint64", DT_UINT64},
    {"uint8", DT_UINT8},
};

}  // namespace

DataType DtypeFromWord(std::string_view word) {
  for (const auto& [name, dtype] : kWords) {
    if (name == word) return dtype;
  }
  return DT_UNDEFINED;
}

}  // namespace atc::cli
