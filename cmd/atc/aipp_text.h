// The outer form of an AIPP configuration: blocks of fields, without what they mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atc::cli {

struct AippField {
  std::string name;
  std::string value;
  int line = 0;  // from 1
};

// The fields of each "aipp_op { name: value ... }", in their order. Between fields may stand ',' or ';'; values are
// words, numbers or texts in quotation marks, and '#' begins a comment. Throws E10052 naming the line.
std::vector<std::vector<AippField>> ParseAippText(std::string_view text);

}  // namespace atc::cli
