#include "cmd/omrun/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cmd/omrun/random_data.h"
#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSpace = " \t\n";

std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  while (!text.empty() && kSpace.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

bool ParseNumber(std::string_view text, double* value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && !text.empty();
}

// The words of a flat or nested list; of nested ones the dims.
struct List {
  std::vector<std::string> words;
  std::optional<Dims> dims;
};

bool IsNumberWord(std::string_view word) {
  double value;
  return word == "true" || word == "false" || ParseNumber(word, &value);
}

// Numbers between brackets and commas. Not by a JSON parser, which would round long integers and refuse nan and inf.
bool ParseList(std::string_view text, List* list) {
  text = Trimmed(text);
  if (!text.starts_with('[')) {
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of(", \t\n"), text.size());
      if (end > 0) list->words.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return !list->words.empty() && std::all_of(list->words.begin(), list->words.end(), IsNumberWord);
  }
  std::vector<int64_t> counts;  // of the open lists
  Dims dims;
  size_t depth_of_numbers = 0;
  bool value_next = true, first_in_list = false;
  const auto close = [&] {
    const size_t depth = counts.size() - 1;
    const int64_t count = counts.back();
    counts.pop_back();
    if (dims.size() <= depth) dims.resize(depth + 1, -1);
    if (dims[depth] != -1 && dims[depth] != count) return false;
    dims[depth] = count;
    return true;
  };
  bool done = false;
  while (!text.empty()) {
    const char c = text.front();
    if (kSpace.find(c) != std::string_view::npos) {
      text.remove_prefix(1);
    } else if (done) {
      return false;
    } else if (c == '[') {
      if (!value_next) return false;
      if (!counts.empty()) ++counts.back();
      counts.push_back(0);
      first_in_list = true;
      text.remove_prefix(1);
    } else if (c == ']') {
      if (counts.empty() || (value_next && !first_in_list) || !close()) return false;
      value_next = first_in_list = false;
      done = counts.empty();
      text.remove_prefix(1);
    } else if (c == ',') {
      if (value_next || counts.empty()) return false;
      value_next = true;
      text.remove_prefix(1);
    } else {
      const size_t end = std::min(text.find_first_of(",[] \t\n"), text.size());
      if (!value_next || counts.empty() || !IsNumberWord(text.substr(0, end))) return false;
      if (depth_of_numbers != 0 && depth_of_numbers != counts.size()) return false;
      depth_of_numbers = counts.size();
      ++counts.back();
      list->words.emplace_back(text.substr(0, end));
      value_next = first_in_list = false;
      text.remove_prefix(end);
    }
  }
  if (!done || (depth_of_numbers != 0 && depth_of_numbers != dims.size())) return false;
  list->dims = dims;
  return true;
}

struct Range {
  double from = 0, step = 1;
  std::optional<double> to;
};

bool ParseRange(std::string_view text, Range* range) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos || dots == 0) return false;
  if (!ParseNumber(text.substr(0, dots), &range->from)) return false;
  std::string_view rest = text.substr(dots + 2);
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    if (!ParseNumber(rest.substr(colon + 1), &range->step)) return false;
    rest = rest.substr(0, colon);
  }
  if (rest.empty()) return true;
  double to;
  if (!ParseNumber(rest, &to)) return false;
  range->to = to;
  return true;
}

// "random", "random:7"
bool ParseRandom(std::string_view text, uint64_t* seed) {
  if (text == "random") return true;
  if (!text.starts_with("random:")) return false;
  const auto result = std::from_chars(text.data() + 7, text.data() + text.size(), *seed);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

bool IsZero(std::string_view text) { return text == "zero" || text == "zeros"; }

RunError Wrong(const std::string& text, const TensorInfo& input, const std::string& why) {
  const std::string shown = text.size() > 60 ? text.substr(0, 57) + "..." : text;
  return RunError(fmt::format("input '{}' cannot be '{}': {}; expected {}", input.name, shown, why, Expected(input)));
}

// The shape that `count` numbers in a row stand for.
Dims DimsOfCount(const std::string& text, const TensorInfo& input, const std::optional<Dims>& given, uint64_t count) {
  Dims dims = given.value_or(input.dims);
  if (dims.size() == 1 && dims[0] == -2) return {static_cast<int64_t>(count)};
  const auto open = std::find_if(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; });
  if (open == dims.end()) return dims;
  if (count == 1) return DimsToFill(input, given);
  if (std::find_if(open + 1, dims.end(), [](int64_t dim) { return dim < 0; }) != dims.end()) {
    throw Wrong(text, input, "several dims are open, which numbers in a row do not tell: nest them as [[1,2],[3,4]], or give --shape");
  }
  *open = 1;
  uint64_t rest = 0;
  if (!ElementCount(dims, &rest) || rest == 0 || count % rest != 0) {
    throw Wrong(text, input, fmt::format("{} numbers do not fill whole rows of {}", count, rest));
  }
  *open = static_cast<int64_t>(count / rest);
  return dims;
}

Tensor Allocate(const TensorInfo& input, const Dims& dims, const ElementType& type) {
  uint64_t count;
  if (!ElementCount(dims, &count)) throw RunError(fmt::format("the shape {} is not possible", DimsText(dims)));
  return {input.type, dims, std::vector<std::byte>(BytesOf(type, count))};
}

bool StoreWord(const ElementType& type, const std::string& word, std::byte* data, uint64_t i) {
  if (word == "true" || word == "false") {
    StoreScalar(type, word == "true" ? 1 : 0, data, i);
    return true;
  }
  return ParseScalar(type, word.starts_with('+') ? std::string_view(word).substr(1) : std::string_view(word), data, i);
}

Tensor FromList(const std::string& text, const TensorInfo& input, const ElementType& type, const List& list,
                const std::optional<Dims>& given) {
  const uint64_t per_element = type.kind == Kind::kComplex ? 2 : 1;
  const uint64_t numbers = list.words.size();
  Dims dims;
  if (list.dims && per_element == 1) {
    dims = *list.dims;
    // A list in a row may stand for a shape that only has as many elements.
    const Dims& wanted = given ? *given : input.dims;
    if (!Fits(dims, wanted) && dims.size() == 1) dims = DimsOfCount(text, input, given, numbers);
    if (!Fits(dims, wanted)) throw Wrong(text, input, fmt::format("its lists have the shape {}", DimsText(dims)));
  } else {
    dims = DimsOfCount(text, input, given, numbers / per_element);
  }
  Tensor tensor = Allocate(input, dims, type);
  uint64_t count = 0;
  ElementCount(dims, &count);
  const uint64_t scalars = ScalarsOf(type, count);
  if (numbers != scalars && numbers != per_element) {
    throw Wrong(text, input, fmt::format("it holds {} numbers where {} takes {}", numbers, DimsText(dims), scalars));
  }
  for (uint64_t i = 0; i < scalars; ++i) {
    const std::string& word = list.words[numbers == scalars ? i : i % per_element];
    if (!StoreWord(type, word, tensor.bytes.data(), i)) {
      throw Wrong(text, input, fmt::format("'{}' is no {} number", word, type.name));
    }
  }
  return tensor;
}

Tensor FromRange(const std::string& text, const TensorInfo& input, const ElementType& type, const Range& range,
                 const std::optional<Dims>& given) {
  Dims dims;
  if (range.to) {
    const double steps = (*range.to - range.from) / range.step;
    if (!(steps >= 0 && steps < 1e12)) throw Wrong(text, input, "the range never comes to its end");
    // The end counts where a step meets it.
    dims = DimsOfCount(text, input, given, static_cast<uint64_t>(std::floor(steps + 1e-9)) + 1);
    uint64_t count = 0;
    if (!ElementCount(dims, &count) || count != static_cast<uint64_t>(std::floor(steps + 1e-9)) + 1) {
      throw Wrong(text, input, fmt::format("the range has {:.0f} numbers where {} takes {}", std::floor(steps + 1e-9) + 1, DimsText(dims), count));
    }
  } else {
    dims = DimsToFill(input, given);
  }
  Tensor tensor = Allocate(input, dims, type);
  uint64_t count = 0;
  ElementCount(dims, &count);
  for (uint64_t i = 0; i < ScalarsOf(type, count); ++i) {
    const double value = range.from + range.step * static_cast<double>(i);
    // Integers are checked by their text: what the type cannot hold is told, not wrapped around.
    const bool whole = type.kind != Kind::kFloat && type.kind != Kind::kComplex;
    if (whole && (value != std::floor(value) || !ParseScalar(type, fmt::format("{:.0f}", value), tensor.bytes.data(), i))) {
      throw Wrong(text, input, fmt::format("{} is no {} number", value, type.name));
    }
    if (!whole) StoreScalar(type, value, tensor.bytes.data(), i);
  }
  return tensor;
}

}  // namespace

bool LooksLikeLiteral(const std::string& text, aclDataType type) {
  if (type == ACL_STRING) return LooksLikeJson(text);
  const std::string_view trimmed = Trimmed(text);
  uint64_t seed;
  Range range;
  List list;
  return IsZero(trimmed) || ParseRandom(trimmed, &seed) || ParseRange(trimmed, &range) || ParseList(trimmed, &list);
}

Dims DimsToFill(const TensorInfo& input, const std::optional<Dims>& given) {
  Dims shape = given.value_or(input.dims);
  if (shape.size() == 1 && shape[0] == -2) shape.clear();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0) shape[d] = d < input.least.size() ? input.least[d] : 1;
  }
  return shape;
}

Tensor ParseLiteral(const std::string& text, const TensorInfo& input, const LiteralContext& context) {
  const std::string_view trimmed = Trimmed(text);
  const ElementType* type = FindElementType(input.type);
  if (!type) throw Wrong(text, input, "its element type has no numbers");
  if (type->kind == Kind::kString) {
    try {
      FileTensor strings = ParseJsonStrings(text);
      if (!Fits(strings.dims, input.dims)) throw RunError(fmt::format("its lists have the shape {}", DimsText(strings.dims)));
      return {strings.type, strings.dims, strings.bytes};
    } catch (const RunError& error) {
      throw RunError(fmt::format("input '{}' cannot be {}: {}", input.name, text, error.what()));
    }
  }
  if (IsZero(trimmed)) return Allocate(input, DimsToFill(input, context.given), *type);
  uint64_t seed = context.seed;
  if (ParseRandom(trimmed, &seed)) return RandomTensor(input.type, DimsToFill(input, context.given), seed, context.index);
  Range range;
  if (ParseRange(trimmed, &range)) return FromRange(text, input, *type, range, context.given);
  List list;
  if (!ParseList(trimmed, &list)) throw Wrong(text, input, "it is no list of numbers");
  return FromList(text, input, *type, list, context.given);
}

}  // namespace atc::omrun
