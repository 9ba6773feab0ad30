// What is valid UTF-8 and what is not, and what people can be shown.
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

// The text for people: what is no valid UTF-8, and characters that would move a terminal's cursor or end a line (below
// U+0020, and U+007F to U+009F), written byte for byte as "\xhh".
std::string OneLine(std::string_view text);

// The same, but for line breaks, which stay.
std::string Visible(std::string_view text);

}  // namespace atc
