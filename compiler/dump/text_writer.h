// The text form of protobuf messages, written field by field: what TextFormat::Printer prints, byte for byte, without
// reflection.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "compiler/io/byte_sink.h"

namespace atc {

class TextWriter {
 public:
  // `buffer`: of the caller, who keeps it from one text to the next; null: an own one.
  explicit TextWriter(ByteSink& out, size_t depth = 0, fmt::memory_buffer* buffer = nullptr)
      : out_(out), text_(buffer != nullptr ? *buffer : own_), depth_(depth) {
    text_.clear();  // what a writer before may have left when its sink failed
  }

  // "field {" and what belongs to it, then "}".
  void Open(std::string_view field) {
    Begin(field);
    Put(" {\n");
    ++depth_;
  }
  void Close() {
    --depth_;
    Begin("}");
    End();
  }

  void Field(std::string_view field, std::integral auto value) {
    Begin(field);
    Put(": ");
    Integer(value);
    End();
  }
  void Field(std::string_view field, bool value) { Word(field, value ? "true" : "false"); }
  void Field(std::string_view field, float value);
  // A name that stands without quotation marks, as those of enumerators do.
  void Word(std::string_view field, std::string_view value) {
    Begin(field);
    Put(": ");
    Put(value);
    End();
  }
  void Quoted(std::string_view field, std::string_view value) {
    Begin(field);
    Put(": ");
    Quote(value);
    End();
  }

  // Text that is escaped already, and with ":index" after it.
  void Escaped(std::string_view field, std::string_view value) {
    Begin(field);
    EscapedLine(": ", value);
  }
  void Escaped(std::string_view field, std::string_view value, int64_t index) {
    Begin(field);
    EscapedLine(": ", value, index);
  }

  // Lines that begin alike, with all that stands before the value.
  void Line(std::string_view before, std::integral auto value) {
    Put(before);
    Integer(value);
    End();
  }
  void Line(std::string_view before, bool value) {
    Put(before);
    Put(value ? "true" : "false");
    End();
  }
  void EscapedLine(std::string_view before, std::string_view value) {
    char* to = Room(before.size() + value.size() + 3);
    to = Copy(before, to);
    *to++ = '"';
    to = Copy(value, to);
    *to++ = '"';
    *to++ = '\n';
    Took(to);
    FlushIfLong();
  }
  void EscapedLine(std::string_view before, std::string_view value, int64_t index) {
    char* to = Room(before.size() + value.size() + kDigits + 4);
    to = Copy(before, to);
    *to++ = '"';
    to = Copy(value, to);
    *to++ = ':';
    to = std::to_chars(to, to + kDigits, index).ptr;
    *to++ = '"';
    *to++ = '\n';
    Took(to);
    FlushIfLong();
  }
  void QuotedLine(std::string_view before, std::string_view value) {
    Put(before);
    Quote(value);
    End();
  }
  // Whole lines that stand at no indentation but their own.
  void Lines(std::string_view lines) {
    Put(lines);
    FlushIfLong();
  }

  size_t depth() const { return depth_; }
  void Flush() {
    out_.Write(text_.data(), text_.size());
    text_.clear();
  }

  // As it stands between quotation marks.
  static void Escape(std::string_view value, std::string* to);
  // The fewest digits of 6 or 9 that read back as the same number; "inf", "-inf", "nan".
  static void Float(float value, std::string* to);

 private:
  // At least `size` characters after the text, of which Took says how many are taken.
  char* Room(size_t size) {
    const size_t at = text_.size();
    text_.reserve(at + size);
    return text_.data() + at;
  }
  void Took(char* end) { text_.resize(static_cast<size_t>(end - text_.data())); }
  static char* Copy(std::string_view text, char* to) {
    std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }

  void Put(std::string_view text) { Took(Copy(text, Room(text.size()))); }
  void Begin(std::string_view field) {
    char* to = Room(2 * depth_ + field.size());
    std::memset(to, ' ', 2 * depth_);
    Took(Copy(field, to + 2 * depth_));
  }
  void End() {
    Put("\n");
    FlushIfLong();
  }
  void Integer(std::integral auto value) {
    char* to = Room(kDigits);
    Took(std::to_chars(to, to + kDigits, value).ptr);
  }
  void Quote(std::string_view value);
  // What is written before the end has whole blocks, for which the cache of a file takes its largest pages.
  void FlushIfLong() {
    if (text_.size() < kLong) return;
    const size_t rest = text_.size() % kLong;
    const size_t whole = text_.size() - rest;
    out_.Write(text_.data(), whole);
    std::memmove(text_.data(), text_.data() + whole, rest);
    text_.resize(rest);
  }

  // More than a file buffers, so that it is written from here.
  static constexpr size_t kLong = 1 << 19;
  static constexpr size_t kDigits = 24;  // of any integer, with its sign

  ByteSink& out_;
  fmt::memory_buffer own_;
  fmt::memory_buffer& text_;  // does not fill what it is enlarged by
  size_t depth_;
};

}  // namespace atc
