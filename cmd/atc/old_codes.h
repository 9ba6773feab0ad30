// Codes of older versions of the vendor's tool, which pages on the web still name, and what they are called now.
#pragma once

#include <span>
#include <string_view>

namespace atc::cli {

struct OldCode {
  std::string_view code;  // the table is sorted by it
  std::string_view now;   // of the error catalogue
  std::string_view what;  // what it told, in few words
};

std::span<const OldCode> OldCodes();

// Null for a code that is not old.
const OldCode* FindOldCode(std::string_view code);

}  // namespace atc::cli
