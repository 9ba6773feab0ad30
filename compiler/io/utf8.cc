#include "compiler/io/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace atc {
namespace {

// With the bytes of each character that `hidden` is true for, and those of no character, written as "\xhh".
template <typename Hidden>
std::string Escaped(std::string_view text, const Hidden& hidden) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    if (length > 0 && !hidden(character)) {
      out += character;
    } else {
      for (const char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      }
    }
    text.remove_prefix(character.size());
  }
  return out;
}

// Below U+0020, or from U+007F to U+009F.
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  // The second byte has a narrower range after some leads: this is what rules out overlong forms and surrogates.
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

bool IsUtf8(std::string_view text) {
  // Most text is ASCII: eight bytes at a time.
  while (text.size() >= sizeof(uint64_t)) {
    uint64_t bytes;
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    if ((bytes & 0x8080808080808080u) != 0) break;
    text.remove_prefix(sizeof(bytes));
  }
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string EscapeInvalidUtf8(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  return Escaped(text, [](std::string_view) { return false; });
}

std::string OneLine(std::string_view text) { return Escaped(text, IsControl); }

std::string Visible(std::string_view text) {
  return Escaped(text, [](std::string_view character) { return character != "\n" && IsControl(character); });
}

}  // namespace atc
