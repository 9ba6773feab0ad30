#include "cmd/omrun/shape_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace atc::omrun {
namespace {

using Inputs = std::vector<TensorInfo>;

constexpr size_t kMostCombinations = 10000;

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool ParseDim(std::string_view text, int64_t* dim) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *dim);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && *dim >= 0;
}

Dims ParseDims(const std::string& text, const TensorInfo& input) {
  Dims dims;
  const bool by_x = text.find(',') == std::string::npos && text.find('x') != std::string::npos;
  for (const std::string& part : Split(text, by_x ? 'x' : ',')) {
    int64_t dim;
    if (!ParseDim(part, &dim)) dims.push_back(-1);
    else dims.push_back(dim);
  }
  const bool ends_open = !text.empty() && (text.back() == ',' || text.back() == 'x');
  if (ends_open || std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; })) {
    throw RunError(fmt::format("--shape '{}' for input '{}' is no list of dims such as 1,3,224,224", text, input.name));
  }
  return dims;
}

// "x:1,3;y:4" and "x:1x3,y:4" as one argument each; anything else stays whole.
std::vector<std::string> SeveralInputs(const std::string& argument, const Inputs& inputs) {
  for (const char separator : {';', ','}) {
    const std::vector<std::string> parts = Split(argument, separator);
    if (parts.size() > 1 && std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
          return SplitArgument(part, inputs).first.has_value();
        })) {
      return parts;
    }
  }
  return {argument.ends_with(';') ? argument.substr(0, argument.size() - 1) : argument};
}

// The values of one dim: "3", "200~202", "224-448".
std::vector<int64_t> ParseChoices(const std::string& text, const std::string& whole) {
  const auto wrong = [&] {
    return RunError(fmt::format("--shape_range '{}': '{}' is no dim, range a~b or list a-b-c", whole, text));
  };
  std::vector<int64_t> values;
  if (const size_t tilde = text.find('~'); tilde != std::string::npos) {
    int64_t from, to;
    if (!ParseDim(text.substr(0, tilde), &from) || !ParseDim(text.substr(tilde + 1), &to) || from > to) throw wrong();
    if (to - from >= static_cast<int64_t>(kMostCombinations)) {
      throw RunError(fmt::format("--shape_range '{}': {} has more than {} values", whole, text, kMostCombinations));
    }
    for (int64_t value = from; value <= to; ++value) values.push_back(value);
    return values;
  }
  for (const std::string& part : Split(text, '-')) {
    int64_t value;
    if (!ParseDim(part, &value)) throw wrong();
    values.push_back(value);
  }
  if (values.empty()) throw wrong();
  return values;
}

}  // namespace

std::vector<std::optional<std::string>> Distribute(const std::vector<std::string>& arguments, const Inputs& inputs,
                                                   const char* flag) {
  std::vector<std::optional<std::string>> taken(inputs.size());
  std::vector<std::string> loose;
  for (const std::string& argument : arguments) {
    auto [index, rest] = SplitArgument(argument, inputs);
    if (!index) {
      loose.push_back(rest);
    } else if (taken[*index]) {
      throw RunError(fmt::format("{} is given twice for input '{}'", flag, inputs[*index].name));
    } else {
      taken[*index] = std::move(rest);
    }
  }
  size_t next = 0;
  for (std::string& argument : loose) {
    while (next < taken.size() && taken[next]) ++next;
    if (next == taken.size()) {
      throw RunError(
          fmt::format("{} '{}' has no input to go to: the model's inputs are {}", flag, argument, NameList(inputs)));
    }
    taken[next] = std::move(argument);
  }
  return taken;
}

std::vector<std::optional<Dims>> ParseShapes(const std::vector<std::string>& arguments, const Inputs& inputs) {
  std::vector<std::string> parts;
  for (const std::string& argument : arguments) {
    const std::vector<std::string> several = SeveralInputs(argument, inputs);
    parts.insert(parts.end(), several.begin(), several.end());
  }
  const auto texts = Distribute(parts, inputs, "--shape");
  std::vector<std::optional<Dims>> dims(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!texts[i]) continue;
    dims[i] = ParseDims(*texts[i], inputs[i]);
    if (!Fits(*dims[i], inputs[i].dims)) {
      throw RunError(fmt::format("--shape {} for input '{}' does not fit its shape {}", DimsText(*dims[i]),
                                 inputs[i].name, DimsText(inputs[i].dims)));
    }
  }
  return dims;
}

std::vector<ShapeCombination> ParseShapeRange(const std::string& text, const Inputs& inputs) {
  std::vector<ShapeCombination> all(1);
  all[0].dims.resize(inputs.size());
  for (const std::string& part : Split(text, ';')) {
    const auto [index, list] = SplitArgument(part, inputs);
    if (!index) {
      throw RunError(fmt::format("--shape_range '{}' names no input: the model's inputs are {}", part, NameList(inputs)));
    }
    std::vector<Dims> shapes = {{}};
    for (const std::string& choices : Split(list, ',')) {
      std::vector<Dims> longer;
      const std::vector<int64_t> values = ParseChoices(choices, text);
      if (shapes.size() * values.size() * all.size() > kMostCombinations) {
        throw RunError(fmt::format("--shape_range '{}' stands for more than {} combinations", text, kMostCombinations));
      }
      for (const Dims& shape : shapes) {
        for (const int64_t value : values) {
          longer.push_back(shape);
          longer.back().push_back(value);
        }
      }
      shapes = std::move(longer);
    }
    std::vector<ShapeCombination> more;
    for (const ShapeCombination& combination : all) {
      for (const Dims& shape : shapes) {
        if (!Fits(shape, inputs[*index].dims)) {
          throw RunError(fmt::format("--shape_range {} for input '{}' does not fit its shape {}", DimsText(shape),
                                     inputs[*index].name, DimsText(inputs[*index].dims)));
        }
        ShapeCombination next = combination;
        next.dims[*index] = shape;
        if (!next.name.empty()) next.name += "__";
        for (size_t d = 0; d < shape.size(); ++d) next.name += fmt::format("{}{}", d ? "_" : "", shape[d]);
        more.push_back(std::move(next));
      }
    }
    all = std::move(more);
  }
  return all;
}

}  // namespace atc::omrun
