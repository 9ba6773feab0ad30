// What is valid UTF-8 and what is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atc {

// Length of the valid sequence that `text` begins with (1 to 4); 0 when it begins with none (overlong forms, surrogates
// and code points above U+10FFFF are none), or is empty.
size_t Utf8Length(std::string_view text);

bool IsUtf8(std::string_view text);

// The text with each byte that belongs to no valid sequence written as "\xhh".
std::string EscapeInvalidUtf8(std::string_view text);

}  // namespace atc
