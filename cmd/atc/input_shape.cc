#include <charconv>
#include <string>

#include "cmd/atc/grammar.h"
#include "cmd/atc/text.h"
#include "compiler/ir/error.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ir/fault_list.h"

namespace atc::cli {
namespace {

constexpr std::string_view kShapeSample = "\"input_name1:n1,c1,h1,w1;input_name2:n2,c2\"";
constexpr std::string_view kRangeSample = "\"input_name1:n1,c1~c2,-1;input_name2:n2\"";
constexpr std::string_view kBracketSample = "\"input_name1:[n1,c1~c2,-1];input_name2:[n2]\"";

// What the messages of one text have in common.
struct Context {
  std::string_view text;
  std::string_view sample;

  Error Form(std::string_view reason) const {
    return Error("E10002",
                 {{"shape", std::string(text)}, {"reason", std::string(reason)}, {"sample", std::string(sample)}});
  }
  Error Range(std::string_view reason) const {
    return Error(
        "E10048",
        {{"shape_range", std::string(text)}, {"reason", std::string(reason)}, {"sample", std::string(sample)}});
  }
};

std::string Quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

enum class Number { kOk, kNotDigits, kTooBig };

// A whole number with an optional minus; blanks around it do no harm.
Number ParseNumber(std::string_view word, int64_t* value) {
  word = Trim(word);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *value);
  if (error == std::errc::result_out_of_range) return Number::kTooBig;
  return error == std::errc() && end == word.data() + word.size() ? Number::kOk : Number::kNotDigits;
}

Error TooBig(std::string_view word) {
  return Error("E10013", {{"value", std::string(Trim(word))}, {"parameter", "input_shape"}});
}

DimRange ParseStaticDim(std::string_view word, const Context& context, bool gears) {
  int64_t value = 0;
  switch (ParseNumber(word, &value)) {
    case Number::kTooBig: throw TooBig(word);
    case Number::kNotDigits:
      if (Trim(word).empty()) throw context.Form("a dim is empty");
      if (word.find('.') != std::string_view::npos) {
        throw context.Form("the float number " + Quoted(Trim(word)) + " is unsupported");
      }
      throw context.Form(Quoted(Trim(word)) + " is not a digit");
    case Number::kOk: break;
  }
  if (gears && value == kUnknownDim) return {1, kUnknownDim};
  if (value <= 0) {
    throw Error("E10011", {{"shape", std::string(context.text)}, {"result", std::to_string(value)}});
  }
  return {value, value};
}

int64_t ParseRangeEnd(std::string_view word, const Context& context) {
  int64_t value = 0;
  switch (ParseNumber(word, &value)) {
    case Number::kTooBig: throw TooBig(word);
    case Number::kNotDigits: throw context.Range(Quoted(Trim(word)) + " is not a number");
    case Number::kOk: break;
  }
  return value;
}

DimRange ParseRangeDim(std::string_view word, const Context& context) {
  const size_t tilde = word.find('~');
  if (tilde == std::string_view::npos) {
    const int64_t value = ParseRangeEnd(word, context);
    if (value == kUnknownDim) return {1, kUnknownDim};
    if (value <= 0) throw context.Range(Quoted(Trim(word)) + " is neither a positive size nor -1");
    return {value, value};
  }
  const int64_t min = ParseRangeEnd(word.substr(0, tilde), context);
  const int64_t max = ParseRangeEnd(word.substr(tilde + 1), context);
  if (max == kUnknownDim) throw context.Range(Quoted(Trim(word)) + " is open; write -1 alone for any size");
  if (min <= 0 || max < min) {
    throw context.Range(Quoted(Trim(word)) + " is no range: the ends are positive and the first is not the greater");
  }
  return {min, max};
}

void CheckNames(const std::vector<InputShapeOption>& shapes, const Context& context) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!shapes[i].name.empty() && shapes[i].name == shapes[j].name) {
        throw context.Form("the input " + Quoted(shapes[i].name) + " is given twice");
      }
    }
  }
}

// Faults of the kind of the first one; faults of other kinds come to light when these are mended.
class DimFaults {
 public:
  // Runs `parse` and notes what it throws.
  template <typename Parse>
  void Try(Parse parse) {
    try {
      parse();
    } catch (const Error& error) {
      if (code_.empty()) code_ = error.diagnostic().code;
      if (error.diagnostic().code == code_) list_.Add(error, MessageText(error.diagnostic()));
    }
  }
  void ThrowIfAny() { list_.ThrowIfAny(); }

 private:
  std::string code_;
  FaultList list_;
};

std::vector<InputShapeOption> ParseItems(std::string_view text, bool gears) {
  const bool ranged = text.find('~') != std::string_view::npos || text.find("-1") != std::string_view::npos;
  if (gears && text.find('~') != std::string_view::npos) throw Error("E10040", {});
  const Context context{text, ranged && !gears ? kRangeSample : kShapeSample};
  const bool named = text.find(':') != std::string_view::npos;
  std::vector<InputShapeOption> shapes;
  DimFaults faults;
  for (std::string_view item : Split(text, ';')) {
    InputShapeOption shape;
    std::string_view dims = item;
    if (named) {
      const size_t colon = item.rfind(':');  // the last one: names may hold colons
      if (colon == std::string_view::npos || colon == 0) {
        throw context.Form("each input has two parts, name and dims, and " + Quoted(item) + " has not");
      }
      shape.name = item.substr(0, colon);
      dims = item.substr(colon + 1);
    } else if (item.empty()) {
      throw context.Form("an input is empty");
    }
    if (dims.find_first_of("[]") != std::string_view::npos) {
      throw context.Form("brackets belong to --input_shape_range");
    }
    if (!Trim(dims).empty()) {
      for (std::string_view word : Split(dims, ',')) {
        faults.Try([&] {
          shape.dims.push_back(ranged && !gears ? ParseRangeDim(word, context) : ParseStaticDim(word, context, gears));
        });
      }
    }
    shapes.push_back(std::move(shape));
  }
  faults.ThrowIfAny();
  CheckNames(shapes, context);
  return shapes;
}

}  // namespace

std::vector<InputShapeOption> ParseInputShape(std::string_view text, bool gears) {
  try {
    return ParseItems(text, gears);
  } catch (const Error& error) {
    const std::string repaired = RepairedInputShape(text, gears);
    if (repaired.empty()) throw;
    const Diagnostic& found = error.diagnostic();
    Error told(found.code, found.args, "Did you mean --input_shape=\"" + repaired + "\"? " + SolutionText(found));
    for (const std::string& line : found.context) told.At(line);
    throw told;
  }
}

std::vector<InputShapeOption> ParseInputShapeRange(std::string_view text) {
  const Context context{text, kBracketSample};
  std::vector<InputShapeOption> shapes;
  std::string_view rest = Trim(text);
  const bool named = !rest.starts_with('[');
  while (true) {
    // name ':' '[' dims ']', the next item after ';' (by name) or ',' (by position)
    const size_t open = rest.find('[');
    const size_t close = rest.find(']', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      throw context.Range("the dims of an input stand in brackets");
    }
    InputShapeOption shape;
    if (named) {
      if (open < 2 || rest[open - 1] != ':') throw context.Range("a name and ':' stand before the brackets");
      shape.name = rest.substr(0, open - 1);
    } else if (open != 0) {
      throw context.Range("without names, only ',' stands between the brackets");
    }
    const std::string_view dims = rest.substr(open + 1, close - open - 1);
    if (!Trim(dims).empty()) {
      for (std::string_view word : Split(dims, ',')) shape.dims.push_back(ParseRangeDim(word, context));
    }
    shapes.push_back(std::move(shape));
    rest = Trim(rest.substr(close + 1));
    if (rest.empty()) break;
    if (rest[0] != (named ? ';' : ',')) {
      throw context.Range(named ? "';' stands between inputs" : "',' stands between inputs");
    }
    rest = Trim(rest.substr(1));
  }
  CheckNames(shapes, context);
  return shapes;
}

}  // namespace atc::cli
