#include "compiler/dump/text_writer.h"

#include <catch2/catch.hpp>
#include <cfloat>
#include <cmath>
#include <cstdint>

namespace atc {
namespace {

std::string FloatText(float value) {
  std::string text;
  TextWriter::Float(value, &text);
  return text;
}

TEST_CASE("floats take as many digits as protobuf gives them") {
  CHECK(FloatText(0.0f) == "0");
  CHECK(FloatText(-0.0f) == "-0");
  CHECK(FloatText(0.1f) == "0.1");
  CHECK(FloatText(-2.5f) == "-2.5");
  CHECK(FloatText(100000.0f) == "100000");
  CHECK(FloatText(1e6f) == "1e+06");
  CHECK(FloatText(16777216.0f) == "16777216");
  CHECK(FloatText(1.0f / 3) == "0.333333343");
  CHECK(FloatText(1e-20f) == "1e-20");
  CHECK(FloatText(FLT_MAX) == "3.40282347e+38");
  CHECK(FloatText(FLT_MIN) == "1.17549435e-38");
  CHECK(FloatText(FLT_TRUE_MIN) == "1.4013e-45");
  CHECK(FloatText(INFINITY) == "inf");
  CHECK(FloatText(-INFINITY) == "-inf");
  CHECK(FloatText(NAN) == "nan");
}

TEST_CASE("text is indented, and bytes are escaped") {
  StringSink out;
  TextWriter text(out);
  text.Open("node");
  text.Quoted("name", std::string_view("a\n\r\t\"'\\\0\x7F\xC3\xA9z", 12));
  text.Open("value");
  text.Field("i", INT64_MIN);
  text.Field("b", true);
  text.Word("type", "INT");
  text.Close();
  text.Close();
  text.Flush();
  CHECK(out.text == R"(node {
  name: "a\n\r\t\"\'\\\000\177\303\251z"
  value {
    i: -9223372036854775808
    b: true
    type: INT
  }
}
)");
}

}  // namespace
}  // namespace atc
