#include "backend/executor/value_codec.h"

#include <catch2/catch.hpp>

#include "compiler/ir/error.h"

namespace atc {
namespace {

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

Tensor Sequence(const std::vector<Tensor>& elements) {
  return Tensor::From<Tensor>(DT_VARIANT, {static_cast<int64_t>(elements.size())}, elements);
}

TEST_CASE("strings are a count and their bytes") {
  const Tensor strings = Tensor::From<std::string>(DT_STRING, {2}, {"ab", ""});
  const std::string bytes = SerialiseElements(strings);
  CHECK(bytes == std::string("\2\0\0\0\0\0\0\0ab\0\0\0\0\0\0\0\0", 18));
  CHECK(BitEqual(ParseElements(DT_STRING, {2}, Bytes(bytes)), strings));
}

TEST_CASE("an element of a sequence is dtype, rank, dims and data") {
  const std::string bytes = SerialiseElements(Sequence({Tensor::From<int32_t>(DT_INT32, {1}, {7})}));
  CHECK(bytes == std::string("\x14\0\0\0\0\0\0\0"   // 20 bytes
                             "\3\0\0\0\1\0\0\0"     // DT_INT32, rank 1
                             "\1\0\0\0\0\0\0\0"     // dim 1
                             "\7\0\0\0",            // 7
                             28));
}

TEST_CASE("sequences of everything come back as they went") {
  const Tensor nested = Sequence({
      Tensor::From<float>(DT_FLOAT, {2, 1}, {1.5f, -2}),
      Tensor::Scalar(int64_t{-3}),
      Tensor::Allocate(DT_FLOAT, {0, 4}),
      Tensor::From<std::string>(DT_STRING, {}, {"text"}),
      Tensor(),
      Sequence({}),
      Sequence({Tensor::Ints({1, 2, 3})}),
  });
  std::string bytes = SerialiseElements(nested);
  CHECK(BitEqual(ParseElements(DT_VARIANT, nested.shape(), Bytes(bytes)), nested));
  bytes += "room behind the value";
  CHECK(BitEqual(ParseElements(DT_VARIANT, nested.shape(), Bytes(bytes)), nested));
}

TEST_CASE("bytes that hold no such value are refused") {
  const Tensor value = Sequence({Tensor::Ints({1, 2, 3}), Tensor::From<std::string>(DT_STRING, {1}, {"text"})});
  const std::string bytes = SerialiseElements(value);
  for (size_t length = 0; length < bytes.size(); ++length) {
    CHECK_THROWS_AS(ParseElements(DT_VARIANT, {2}, Bytes(bytes.substr(0, length))), Error);
  }
  // More elements than the buffer can hold ask for no memory.
  CHECK_THROWS_AS(ParseElements(DT_STRING, {int64_t{1} << 40}, Bytes(bytes)), Error);
  for (size_t at = 0; at < bytes.size(); ++at) {  // any byte may be wrong
    for (const char wrong : {'\xFF', '\x1A', '\0'}) {
      std::string damaged = bytes;
      damaged[at] = wrong;
      try {
        ParseElements(DT_VARIANT, {2}, Bytes(damaged));
      } catch (const Error&) {
      }
    }
  }
}

}  // namespace
}  // namespace atc
