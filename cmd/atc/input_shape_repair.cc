// What a text that is no --input_shape was most likely meant to be.
#include <string>
#include <utility>

#include "cmd/atc/grammar.h"
#include "cmd/atc/text.h"
#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

// Full-width signs of Chinese keyboards, and what people write between dims.
constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
    {"；", ";"}, {"：", ":"}, {"，", ","}, {"～", "~"}, {"[", ""},
    {"]", ""},   {"(", ""},   {")", ""},   {"\"", ""},  {"'", ""},
};

void ReplaceAll(std::string_view from, std::string_view to, std::string* text) {
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size()) {
    text->replace(at, from.size(), to);
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "1x3x48" and "1*3*48", between digits alone: names may hold any letter.
void CommasForTimes(std::string* dims) {
  for (size_t i = 1; i + 1 < dims->size(); ++i) {
    const char c = (*dims)[i];
    if ((c == 'x' || c == 'X' || c == '*') && IsDigit((*dims)[i - 1]) && IsDigit((*dims)[i + 1])) (*dims)[i] = ',';
  }
}

// A dim that cannot be: a size that is not positive is left open, "3.0" is 3.
std::string RepairedDim(std::string dim) {
  const size_t point = dim.find('.');
  if (point != std::string::npos && point > 0 && dim.find_first_not_of('0', point + 1) == std::string::npos) {
    dim.erase(point);
  }
  const bool negative = dim.size() > 1 && dim[0] == '-';
  const std::string digits = dim.substr(negative);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  const bool zero = number && digits.find_first_not_of('0') == std::string::npos;
  return number && (negative || zero) ? "-1" : dim;
}

std::string RepairedItem(std::string_view item) {
  const size_t colon = item.rfind(':');
  std::string name = colon == std::string_view::npos ? "" : std::string(Trim(item.substr(0, colon))) + ":";
  std::string dims(colon == std::string_view::npos ? item : item.substr(colon + 1));
  CommasForTimes(&dims);
  // A dim that is missing inside stays missing, and is no repair; one at the end was a comma too many.
  while (!dims.empty() && (dims.back() == ',' || dims.back() == ' ')) dims.pop_back();
  std::string out;
  for (std::string_view dim : Split(dims, ',')) {
    if (!out.empty()) out += ',';
    out += RepairedDim(std::string(Trim(dim)));
  }
  return name + out;
}

}  // namespace

std::string RepairedInputShape(std::string_view text, bool gears) {
  std::string repaired(text);
  for (const auto& [from, to] : kSigns) ReplaceAll(from, to, &repaired);
  std::string out;
  for (std::string_view item : Split(repaired, ';')) {
    if (Trim(item).empty()) continue;
    if (!out.empty()) out += ';';
    out += RepairedItem(item);
  }
  if (out.empty() || out == text) return "";
  try {
    ParseInputShape(out, gears);
  } catch (const Error&) {
    return "";
  }
  return out;
}

}  // namespace atc::cli
