#include "cmd/atc/aipp_text.h"

#include <fmt/format.h>

#include "compiler/ir/error.h"

namespace atc::cli {
namespace {

constexpr std::string_view kBlock = "aipp_op";
constexpr std::string_view kPunctuation = "{}:,;";

struct Token {
  std::string text;  // empty at the end
  int line = 1;
  bool quoted = false;

  bool Is(char c) const { return !quoted && text.size() == 1 && text[0] == c; }
  bool IsWord() const { return quoted || (!text.empty() && kPunctuation.find(text[0]) == std::string_view::npos); }
};

Error Bad(int line, const std::string& what) {
  return Error("E10052", {{"reason", fmt::format("line {}: {}", line, what)}});
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { Advance(); }

  const Token& current() const { return token_; }

  Token Take() {
    Token taken = std::move(token_);
    Advance();
    return taken;
  }

 private:
  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        line_ += c == '\n';
        ++at_;
      } else {
        return;
      }
    }
  }

  void Advance() {
    SkipBlanks();
    token_ = {"", line_, false};
    if (at_ == text_.size()) return;
    const char first = text_[at_];
    if (first == '"' || first == '\'') {
      const size_t end = text_.find(first, at_ + 1);
      if (end == std::string_view::npos) throw Bad(line_, "a text in quotation marks does not end");
      token_.text = text_.substr(at_ + 1, end - at_ - 1);
      token_.quoted = true;
      at_ = end + 1;
      return;
    }
    size_t end = at_ + 1;
    if (kPunctuation.find(first) == std::string_view::npos) {
      end = text_.find_first_of(" \t\r\n#\"'{}:,;", at_);
      if (end == std::string_view::npos) end = text_.size();
    }
    token_.text = text_.substr(at_, end - at_);
    at_ = end;
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace

std::vector<std::vector<AippField>> ParseAippText(std::string_view text) {
  Lexer lexer(text);
  std::vector<std::vector<AippField>> blocks;
  const auto skip_separators = [&] {
    while (lexer.current().Is(',') || lexer.current().Is(';')) lexer.Take();
  };
  while (true) {
    skip_separators();
    const Token head = lexer.Take();
    if (head.text.empty() && !head.quoted) break;
    if (head.text != kBlock) throw Bad(head.line, fmt::format("'{}'; expected {} {{", head.text, kBlock));
    if (lexer.current().Is(':')) lexer.Take();
    if (!lexer.Take().Is('{')) throw Bad(head.line, fmt::format("{} is not followed by '{{'", kBlock));
    std::vector<AippField>& fields = blocks.emplace_back();
    while (true) {
      skip_separators();
      const Token name = lexer.Take();
      if (name.Is('}')) break;
      if (!name.IsWord()) throw Bad(name.line, name.text.empty() ? "the file ends within aipp_op {" : "a field has no name");
      if (!lexer.Take().Is(':')) throw Bad(name.line, fmt::format("'{}' is not followed by ':'", name.text));
      const Token value = lexer.Take();
      if (!value.IsWord()) throw Bad(name.line, fmt::format("the field {} has no value", name.text));
      fields.push_back({name.text, value.text, name.line});
    }
  }
  return blocks;
}

}  // namespace atc::cli
