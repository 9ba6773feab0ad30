#include "compiler/io/utf8.h"

#include <cstdint>
#include <cstring>

namespace atc {

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
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(text[0]);
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      length = 1;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace atc
