// Where bytes go: a file, memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace atc {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Takes all of it, or throws Error.
  virtual void Write(const void* data, size_t size) = 0;
  void Write(std::string_view text) { Write(text.data(), text.size()); }
};

class StringSink : public ByteSink {
 public:
  using ByteSink::Write;
  void Write(const void* data, size_t size) override { text.append(static_cast<const char*>(data), size); }

  std::string text;
};

}  // namespace atc
