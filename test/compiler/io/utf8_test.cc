#include "compiler/io/utf8.h"

#include <catch2/catch.hpp>

namespace atc {
namespace {

TEST_CASE("valid UTF-8 is what the Unicode standard's table 3-7 says") {
  CHECK(IsUtf8("a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"));
  CHECK_FALSE(IsUtf8("\xc0\x80"));          // overlong
  CHECK_FALSE(IsUtf8("\xe0\x9f\xbf"));      // overlong
  CHECK_FALSE(IsUtf8("\xed\xa0\x80"));      // surrogate
  CHECK_FALSE(IsUtf8("\xf4\x90\x80\x80"));  // above U+10FFFF
  CHECK_FALSE(IsUtf8("\xe4\xb8"));          // cut
  CHECK(EscapeInvalidUtf8("a\xff\xe4\xb8") == "a\\xff\\xe4\\xb8");
  CHECK(EscapeInvalidUtf8("\xe4\xb8\xad") == "\xe4\xb8\xad");
}

TEST_CASE("what people are shown moves no cursor and ends no line") {
  CHECK(OneLine("a\x1b[31m\nb\tc\x7f") == "a\\x1b[31m\\x0ab\\x09c\\x7f");
  CHECK(OneLine("\xc2\x9b"
                "1m \xc2\xa0\xc3\xbc \xff") == "\\xc2\\x9b1m \xc2\xa0\xc3\xbc \\xff");  // CSI as one character
  CHECK(OneLine("conv/\xe4\xb8\xad \"q\" \\") == "conv/\xe4\xb8\xad \"q\" \\");
  CHECK(OneLine("") == "");
  CHECK(Visible("a\r\nb\x1b") == "a\\x0d\nb\\x1b");
}

}  // namespace
}  // namespace atc
