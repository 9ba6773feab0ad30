// Operators on strings, which are UTF-8.
#include <cwctype>
#include <set>

#include <locale.h>
#include <re2/re2.h>

#include "compiler/ops/broadcast.h"
#include "compiler/ops/families.h"
#include "compiler/ops/infer_util.h"

namespace atc {
namespace {

void RequireStrings(const KernelContext& ctx, size_t i) {
  if (ctx.InType(i) != DT_STRING) {
    ctx.Fail("input " + std::to_string(i) + " is " + std::string(DataTypeName(ctx.InType(i))) + ", it must be DT_STRING");
  }
}

void ConcatKernel(KernelContext& ctx) {
  RequireStrings(ctx, 0);
  RequireStrings(ctx, 1);
  Tensor& out = ctx.Out(0, DT_STRING, BroadcastInputShapes(ctx));
  BroadcastBinary<std::string, std::string, std::string>(
      ctx.In(0), ctx.In(1), out, [](const std::string& a, const std::string& b) { return a + b; });
}

// ---- splitting, by the rules of Python's str.split ----

constexpr std::string_view kWhitespace = " \t\n\v\f\r";

// Runs of whitespace separate, leading ones yield nothing; after `most` splits the rest is one token (its trailing
// whitespace stays). A negative `most` is no limit.
std::vector<std::string> SplitAtWhitespace(std::string_view text, int64_t most) {
  std::vector<std::string> tokens;
  for (;;) {
    const size_t begin = text.find_first_not_of(kWhitespace);
    if (begin == std::string_view::npos) return tokens;
    text.remove_prefix(begin);
    const bool last = most >= 0 && static_cast<int64_t>(tokens.size()) == most;
    const size_t end = last ? std::string_view::npos : text.find_first_of(kWhitespace);
    tokens.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return tokens;
    text.remove_prefix(end);
  }
}

// Every occurrence of the delimiter separates, so that tokens may be empty.
std::vector<std::string> SplitAt(std::string_view text, const std::string& delimiter, int64_t most) {
  if (delimiter.empty()) return SplitAtWhitespace(text, most);
  std::vector<std::string> tokens;
  while (most < 0 || static_cast<int64_t>(tokens.size()) < most) {
    const size_t end = text.find(delimiter);
    if (end == std::string_view::npos) break;
    tokens.emplace_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  tokens.emplace_back(text);
  return tokens;
}

void InferSplit(InferContext& ctx) {
  Shape shape = ctx.InShape(0);
  ctx.SetOut(1, DT_INT64, shape);
  if (shape.HasRank()) shape.dims().push_back(kUnknownDim);
  ctx.SetOut(0, DT_STRING, shape);
}

// A new last axis holds the tokens, padded with empty strings; output 1 tells how many there are.
void SplitKernel(KernelContext& ctx) {
  RequireStrings(ctx, 0);
  const std::string delimiter = ctx.Attr<std::string>("delimiter");
  const int64_t most = ctx.node().attrs.Get<int64_t>("maxsplit", -1);
  std::vector<std::vector<std::string>> split;
  size_t longest = 0;
  for (const std::string& text : ctx.In(0).Span<std::string>()) {
    split.push_back(SplitAt(text, delimiter, most));
    longest = std::max(longest, split.back().size());
  }
  Shape shape = ctx.InShape(0);
  if (ctx.WantsOutput(1)) {
    Tensor& counts = ctx.Out(1, DT_INT64, shape);
    for (size_t i = 0; i < split.size(); ++i) counts.MutableData<int64_t>()[i] = static_cast<int64_t>(split[i].size());
  }
  shape.dims().push_back(static_cast<int64_t>(longest));
  Tensor& out = ctx.Out(0, DT_STRING, shape);
  std::string* y = out.MutableData<std::string>();
  for (const auto& tokens : split) {
    std::fill(std::copy(tokens.begin(), tokens.end(), y), y + longest, std::string());
    y += longest;
  }
}

// ---- matching ----

void InferMatch(InferContext& ctx) { ctx.SetOut(0, DT_BOOL, ctx.InShape(0)); }

// ONNX takes the syntax of RE2, whose time is linear in the text.
void MatchKernel(KernelContext& ctx) {
  RequireStrings(ctx, 0);
  const std::string pattern = ctx.Attr<std::string>("pattern");
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 expression(pattern, options);
  if (!expression.ok()) ctx.Fail("attribute pattern '" + pattern + "' is no regular expression: " + expression.error());
  Tensor& out = ctx.Out(0, DT_BOOL, ctx.InShape(0));
  bool* y = out.MutableData<bool>();
  for (const std::string& text : ctx.In(0).Span<std::string>()) *y++ = RE2::FullMatch(text, expression);
}

// ---- normalisation ----

// Simple case mapping of code points. The locale is one that every system has and that is the same for all users.
class CaseMapper {
 public:
  CaseMapper() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
  ~CaseMapper() {
    if (locale_) ::freelocale(locale_);
  }
  CaseMapper(const CaseMapper&) = delete;
  CaseMapper& operator=(const CaseMapper&) = delete;

  // Bytes that are not UTF-8 stay as they are.
  std::string Map(const std::string& text, bool upper) const {
    std::string result;
    for (size_t i = 0; i < text.size();) {
      uint32_t point = 0;
      const size_t length = Decode(text, i, &point);
      const uint32_t mapped = length == 0 ? 0 : MapPoint(point, upper);
      if (length == 0) {
        result += text[i++];
      } else {
        Encode(mapped, &result);
        i += length;
      }
    }
    return result;
  }

 private:
  uint32_t MapPoint(uint32_t point, bool upper) const {
    if (locale_ == nullptr) {
      const bool is_letter = upper ? point >= 'a' && point <= 'z' : point >= 'A' && point <= 'Z';
      return is_letter ? point ^ 0x20 : point;
    }
    return upper ? ::towupper_l(point, locale_) : ::towlower_l(point, locale_);
  }

  // Bytes of the sequence at `at` (0: none) and its code point.
  static size_t Decode(const std::string& text, size_t at, uint32_t* point) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t length = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xE ? 3 : lead >> 3 == 0x1E ? 4 : 0;
    if (length == 0 || at + length > text.size()) return 0;
    *point = length == 1 ? lead : lead & (0x7F >> length);
    for (size_t i = 1; i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if (next >> 6 != 2) return 0;
      *point = *point << 6 | (next & 0x3F);
    }
    return length;
  }

  static void Encode(uint32_t point, std::string* text) {
    const size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (length == 1) {
      *text += static_cast<char>(point);
      return;
    }
    *text += static_cast<char>((0xF00 >> length & 0xFF) | point >> 6 * (length - 1));
    for (size_t i = length - 1; i > 0; --i) *text += static_cast<char>(0x80 | (point >> 6 * (i - 1) & 0x3F));
  }

  locale_t locale_;
};

void InferNormalize(InferContext& ctx) {
  const Shape& x = ctx.InShape(0);
  if (!x.HasRank()) return ctx.SetOut(0, DT_STRING, x);
  if (x.rank() != 1 && x.rank() != 2) ctx.Fail("input " + ToString(x) + " must be [C] or [1,C]");
  ctx.SetOut(0, DT_STRING, x.rank() == 1 ? Shape{kUnknownDim} : Shape{1, kUnknownDim});
}

// Drops stop words, then changes the case. Nothing left is written as one empty string.
void NormalizeKernel(KernelContext& ctx) {
  RequireStrings(ctx, 0);
  const Shape& x = ctx.InShape(0);
  if (x.rank() != 1 && !(x.rank() == 2 && x[0] == 1)) ctx.Fail("input " + ToString(x) + " must be [C] or [1,C]");
  const std::string action = ctx.Attr<std::string>("case_change_action");
  if (action != "NONE" && action != "LOWER" && action != "UPPER") {
    ctx.Fail("attribute case_change_action is '" + action + "', it must be LOWER, UPPER or NONE");
  }
  const bool sensitive = ctx.Attr<int64_t>("is_case_sensitive") != 0;
  const CaseMapper mapper;
  const auto key = [&](const std::string& word) { return sensitive ? word : mapper.Map(word, false); };
  std::set<std::string> stopwords;
  for (const std::string& word : ctx.node().attrs.Get<std::vector<std::string>>("stopwords", {})) {
    stopwords.insert(key(word));
  }
  std::vector<std::string> words;
  for (const std::string& word : ctx.In(0).Span<std::string>()) {
    if (stopwords.contains(key(word))) continue;
    words.push_back(action == "NONE" ? word : mapper.Map(word, action == "UPPER"));
  }
  if (words.empty()) words.emplace_back();
  const auto count = static_cast<int64_t>(words.size());
  Tensor& out = ctx.Out(0, DT_STRING, x.rank() == 1 ? Shape{count} : Shape{1, count});
  std::copy(words.begin(), words.end(), out.MutableData<std::string>());
}

}  // namespace

void RegisterStringsOps(OpRegistry& registry) {
  registry.Add(OpDef("onnx::RegexFullMatch").In("X").Out("Y").Attr("pattern", "").Attr("opset", 0).Traits(kElementwise)
                   .On(Unit::kHostCpu).Infer(InferMatch).Kernel(MatchKernel));
  registry.Add(OpDef("onnx::StringConcat").In("X").In("Y").Out("Z").Attr("opset", 0).Traits(kElementwise)
                   .On(Unit::kHostCpu).Infer(InferBroadcast).Kernel(ConcatKernel));
  registry.Add(OpDef("onnx::StringNormalizer").In("X").Out("Y").Attr("case_change_action", "NONE")
                   .Attr("is_case_sensitive", 0).Attr("locale", "").Attr("opset", 0).On(Unit::kHostCpu)
                   .Infer(InferNormalize).Kernel(NormalizeKernel));
  registry.Add(OpDef("onnx::StringSplit").In("X").Out("Y").OptOut("Z").Attr("delimiter", "").Attr("opset", 0)
                   .On(Unit::kHostCpu).Infer(InferSplit).Kernel(SplitKernel));
}

}  // namespace atc
