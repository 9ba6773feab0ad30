// The words that attributes of strings may hold, where ONNX lists them.
#pragma once

#include <span>
#include <string_view>

namespace atc::onnx_parser {

struct AttributeWords {
  std::string_view attribute;
  std::string_view operators;  // separated by blanks; empty: all that have the attribute
  std::string_view words;      // of all versions, separated by blanks
  bool any_case = false;
};

// Sorted by attribute.
std::span<const AttributeWords> AllAttributeWords();

// nullptr where any text may stand.
const AttributeWords* FindAttributeWords(std::string_view op_type, std::string_view attribute);

// Whether `text` is among them.
bool IsAmong(const AttributeWords& words, std::string_view text);

}  // namespace atc::onnx_parser
