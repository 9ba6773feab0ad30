// Any protobuf message as JSON, through reflection, in the form that atc's --mode=1 writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/io/byte_sink.h"

namespace google::protobuf {
class Message;
}

namespace atc {

struct JsonStyle {
  bool enum_names = true;                 // else numbers
  std::vector<std::string_view> dropped;  // names of fields left out at any level; sorted
};

// Writes an object with keys in byte order, indented by two blanks, ending in a newline. Fields that are not set and
// scalars of default value are left out, as are empty messages; repeated fields are arrays, maps are arrays of
// {"key", "value"} sorted by key, a float alone is a string of printf's %g (in a list a number), bytes alone are a
// C-escaped string (in a list text as they are). What is no UTF-8 is left out of text. Messages nested deeper than 20
// are left out.
void WriteJson(const google::protobuf::Message& message, const JsonStyle& style, ByteSink& out);

}  // namespace atc
