// The text form of protobuf messages, written field by field: what TextFormat::Printer prints, byte for byte, without
// reflection.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

#include "compiler/io/byte_sink.h"

namespace atc {

class TextWriter {
 public:
  explicit TextWriter(ByteSink& out, size_t depth = 0) : out_(out), depth_(depth) {}

  // "field {" and what belongs to it, then "}".
  void Open(std::string_view field) {
    Begin(field);
    text_ += " {\n";
    ++depth_;
  }
  void Close() {
    --depth_;
    Begin("}");
    End();
  }

  void Field(std::string_view field, std::integral auto value) {
    Begin(field);
    text_ += ": ";
    Integer(value);
    End();
  }
  void Field(std::string_view field, bool value) { Word(field, value ? "true" : "false"); }
  void Field(std::string_view field, float value) {
    Begin(field);
    text_ += ": ";
    Float(value, &text_);
    End();
  }
  // A name that stands without quotation marks, as those of enumerators do.
  void Word(std::string_view field, std::string_view value) {
    Begin(field);
    text_ += ": ";
    text_ += value;
    End();
  }
  void Quoted(std::string_view field, std::string_view value);
  // Text between quotation marks that is escaped already, and with ":index" after it.
  void Escaped(std::string_view field, std::string_view value) {
    Begin(field);
    text_ += ": \"";
    text_ += value;
    text_ += '"';
    End();
  }
  void Escaped(std::string_view field, std::string_view value, int64_t index) {
    Begin(field);
    text_ += ": \"";
    text_ += value;
    text_ += ':';
    Integer(index);
    text_ += '"';
    End();
  }
  // Where the fields that follow stand.
  void set_depth(size_t depth) { depth_ = depth; }
  // Whole lines that stand at no indentation but their own.
  void Lines(std::string_view lines) {
    text_ += lines;
    FlushIfLong();
  }

  size_t depth() const { return depth_; }
  void Flush() {
    out_.Write(text_);
    text_.clear();
  }

  // As it stands between quotation marks.
  static void Escape(std::string_view value, std::string* to);
  // The fewest digits of 6 or 9 that read back as the same number; "inf", "-inf", "nan".
  static void Float(float value, std::string* to);

 private:
  void Begin(std::string_view field) {
    text_.append(2 * depth_, ' ');
    text_ += field;
  }
  void End() {
    text_ += '\n';
    FlushIfLong();
  }
  void Integer(std::integral auto value) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
  }
  void FlushIfLong() {
    if (text_.size() > kLong) Flush();
  }

  // More than a file buffers, so that it is written from here.
  static constexpr size_t kLong = 1 << 19;

  ByteSink& out_;
  std::string text_;
  size_t depth_;
};

}  // namespace atc
