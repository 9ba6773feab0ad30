#include "compiler/dump/text_writer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

namespace atc {
namespace {

// Whether a character stands for itself between quotation marks.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 0x7F; ++c) plain[static_cast<size_t>(c)] = c != '"' && c != '\'' && c != '\\';
  return plain;
}();

// As C writes it; what is no printable ASCII becomes three octal digits.
void EscapeOne(char c, std::string* to) {
  switch (c) {
    case '\n': *to += "\\n"; return;
    case '\r': *to += "\\r"; return;
    case '\t': *to += "\\t"; return;
    case '"': *to += "\\\""; return;
    case '\'': *to += "\\'"; return;
    case '\\': *to += "\\\\"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  const char octal[] = {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                        static_cast<char>('0' + (byte & 7))};
  to->append(octal, sizeof(octal));
}

}  // namespace

void TextWriter::Quoted(std::string_view field, std::string_view value) {
  Begin(field);
  text_ += ": \"";
  while (!value.empty()) {
    const std::string_view piece = value.substr(0, kLong);
    Escape(piece, &text_);
    value.remove_prefix(piece.size());
    FlushIfLong();
  }
  text_ += '"';
  End();
}

void TextWriter::Escape(std::string_view value, std::string* to) {
  while (!value.empty()) {
    size_t plain = 0;
    while (plain < value.size() && kPlain[static_cast<unsigned char>(value[plain])]) ++plain;
    to->append(value.substr(0, plain));
    value.remove_prefix(plain);
    if (value.empty()) break;
    EscapeOne(value.front(), to);
    value.remove_prefix(1);
  }
}

void TextWriter::Float(float value, std::string* to) {
  if (std::isnan(value)) {
    *to += "nan";
    return;
  }
  if (std::isinf(value)) {
    *to += value < 0 ? "-inf" : "inf";
    return;
  }
  const std::string text = fmt::format("{:.6g}", value);
  double read = 0;  // of a float's range a double loses nothing, denormals included
  std::from_chars(text.data(), text.data() + text.size(), read);
  *to += static_cast<float>(read) == value ? text : fmt::format("{:.9g}", value);
}

}  // namespace atc
