// Names of element types and formats.
#pragma once

#include <string>

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class TypeUtils {
 public:
  // "DT_FLOAT", "NCHW"; "UNDEFINED" and "RESERVED" for numbers that are none.
  static AscendString DataTypeToAscendString(const DataType& type);
  static AscendString FormatToAscendString(const Format& format);
  // DT_UNDEFINED and FORMAT_RESERVED for names that are none.
  static DataType AscendStringToDataType(const AscendString& name);
  static Format AscendStringToFormat(const AscendString& name);
  static Format DataFormatToFormat(const AscendString& name) { return AscendStringToFormat(name); }
  // Bytes; false where an element has none of its own.
  static bool GetDataTypeLength(DataType type, uint32_t& length);

  static std::string DataTypeToSerialString(DataType type) { return DataTypeToAscendString(type).GetString(); }
  static std::string FormatToSerialString(Format format) { return FormatToAscendString(format).GetString(); }
  static DataType SerialStringToDataType(const std::string& name) { return AscendStringToDataType(name.c_str()); }
  static Format SerialStringToFormat(const std::string& name) { return AscendStringToFormat(name.c_str()); }
  static Format DataFormatToFormat(const std::string& name) { return AscendStringToFormat(name.c_str()); }
};

}  // namespace ge
