// Interned strings: node types and attribute names. Equal text is one pointer, so comparing is free.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace atc {

class Name {
 public:
  Name() : Name("") {}
  Name(std::string_view text);                                  // NOLINT: implicit on purpose
  Name(const char* text) : Name(std::string_view(text)) {}      // NOLINT
  Name(const std::string& text) : Name(std::string_view(text)) {}  // NOLINT

  const std::string& str() const { return *text_; }
  operator std::string_view() const { return *text_; }  // NOLINT
  bool empty() const { return text_->empty(); }

  bool operator==(const Name& other) const { return text_ == other.text_; }
  bool operator==(std::string_view other) const { return *text_ == other; }
  bool operator==(const char* other) const { return *text_ == other; }
  // By text, so that what is sorted by names does not depend on addresses.
  std::strong_ordering operator<=>(const Name& other) const {
    return text_ == other.text_ ? std::strong_ordering::equal : text_->compare(*other.text_) <=> 0;
  }

 private:
  const std::string* text_;
};

}  // namespace atc
