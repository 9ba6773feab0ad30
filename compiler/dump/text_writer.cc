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

// As C writes it; what is no printable ASCII becomes three octal digits. Returns the end.
char* EscapeOne(char c, char* to) {
  *to++ = '\\';
  switch (c) {
    case '\n': *to++ = 'n'; return to;
    case '\r': *to++ = 'r'; return to;
    case '\t': *to++ = 't'; return to;
    case '"':
    case '\'':
    case '\\': *to++ = c; return to;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  for (const int shift : {6, 3, 0}) *to++ = static_cast<char>('0' + (byte >> shift & 7));
  return to;
}

constexpr size_t kLongestEscape = 4;  // characters that one may become

// Returns the end.
char* EscapeAll(std::string_view value, char* to) {
  const char* at = value.data();
  const char* const end = at + value.size();
  while (at < end) {
    const char* plain = at;
    while (plain < end && kPlain[static_cast<unsigned char>(*plain)]) ++plain;
    std::memcpy(to, at, static_cast<size_t>(plain - at));
    to += plain - at;
    at = plain;
    if (at < end) to = EscapeOne(*at++, to);
  }
  return to;
}

}  // namespace

void TextWriter::Field(std::string_view field, float value) {
  std::string digits;
  Float(value, &digits);
  Word(field, digits);
}

void TextWriter::Quote(std::string_view value) {
  Put("\"");
  while (!value.empty()) {
    const std::string_view piece = value.substr(0, kLong / kLongestEscape);
    Took(EscapeAll(piece, Room(kLongestEscape * piece.size())));
    value.remove_prefix(piece.size());
    FlushIfLong();
  }
  Put("\"");
}

void TextWriter::Escape(std::string_view value, std::string* to) {
  const size_t at = to->size();
  to->resize(at + kLongestEscape * value.size());
  to->resize(static_cast<size_t>(EscapeAll(value, to->data() + at) - to->data()));
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
