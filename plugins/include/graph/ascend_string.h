// The string of the API: it has one layout whatever _GLIBCXX_USE_CXX11_ABI a plugin is compiled with.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "graph/types.h"

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  AscendString(const char_t* text) : AscendString(text, text == nullptr ? 0 : std::strlen(text)) {}
  AscendString(const char_t* text, size_t length) : length_(text == nullptr ? 0 : length) {
    if (length_ == 0) return;
    std::shared_ptr<char> bytes(new char[length_ + 1], std::default_delete<char[]>());
    std::memcpy(bytes.get(), text, length_);
    bytes.get()[length_] = '\0';
    text_ = std::move(bytes);
  }

  // Never null.
  const char_t* GetString() const { return text_ ? text_.get() : ""; }
  size_t GetLength() const { return length_; }
  size_t Hash() const { return std::hash<std::string>()(std::string(GetString(), length_)); }
  // The first place of `text` from `start` on; npos where there is none.
  size_t Find(const AscendString& text, size_t start = 0) const {
    return std::string(GetString(), length_).find(std::string(text.GetString(), text.length_), start);
  }

  bool operator<(const AscendString& other) const { return Compare(other) < 0; }
  bool operator>(const AscendString& other) const { return Compare(other) > 0; }
  bool operator<=(const AscendString& other) const { return Compare(other) <= 0; }
  bool operator>=(const AscendString& other) const { return Compare(other) >= 0; }
  bool operator==(const AscendString& other) const { return Compare(other) == 0; }
  bool operator!=(const AscendString& other) const { return Compare(other) != 0; }
  bool operator==(const char_t* other) const { return Compare(AscendString(other)) == 0; }
  bool operator!=(const char_t* other) const { return Compare(AscendString(other)) != 0; }

 private:
  int Compare(const AscendString& other) const {
    const size_t common = length_ < other.length_ ? length_ : other.length_;
    const int order = std::memcmp(GetString(), other.GetString(), common);
    if (order != 0) return order;
    return length_ == other.length_ ? 0 : length_ < other.length_ ? -1 : 1;
  }

  std::shared_ptr<const char> text_;  // ends with a zero byte
  size_t length_ = 0;
};

inline std::ostream& operator<<(std::ostream& out, const AscendString& text) { return out << text.GetString(); }

}  // namespace ge

namespace std {
template <>
struct hash<ge::AscendString> {
  size_t operator()(const ge::AscendString& text) const { return text.Hash(); }
};
}  // namespace std
