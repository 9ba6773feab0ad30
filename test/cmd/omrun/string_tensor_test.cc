// Strings in files and arguments. The .npy bytes are those that NumPy 1.24 writes for the arrays named beside them.
#include "cmd/omrun/string_tensor.h"

#include <catch2/catch.hpp>

#include "cmd/omrun/compare.h"
#include "cmd/omrun/npy.h"
#include "cmd/omrun/tensor_proto.h"
#include "cmd/omrun/tensor_text.h"

using namespace atc::omrun;
using Strings = std::vector<std::string>;

namespace {

std::vector<std::byte> Npy(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  const std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 0xFF) +
                           static_cast<char>(header.size() >> 8) + header + data;
  const auto* bytes = reinterpret_cast<const std::byte*>(file.data());
  return {bytes, bytes + file.size()};
}

Tensor Of(const Strings& strings) {
  return {ACL_STRING, {static_cast<int64_t>(strings.size())}, PackStrings(strings)};
}

Strings Taken(const FileTensor& tensor) { return UnpackStrings({tensor.type, tensor.dims, tensor.bytes}); }

}  // namespace

TEST_CASE("strings are records of a length and bytes") {
  const std::vector<std::byte> bytes = PackStrings({"ab", ""});
  REQUIRE(bytes.size() == 18);
  CHECK(bytes[0] == std::byte{2});
  CHECK(bytes[8] == std::byte{'a'});
  CHECK(UnpackStrings(Of({"ab", "", "\xC3\xA9"})) == Strings{"ab", "", "\xC3\xA9"});
  Tensor cut = Of({"abc"});
  cut.bytes.pop_back();
  CHECK_THROWS_AS(UnpackStrings(cut), RunError);
  cut.bytes.resize(5);
  CHECK_THROWS_AS(UnpackStrings(cut), RunError);
}

TEST_CASE("NumPy's strings are read and written") {
  // np.array(['a', 'é€'])
  using namespace std::string_literals;
  const std::string unicode = "a\0\0\0\0\0\0\0\xE9\0\0\0\xAC\x20\0\0"s;
  const FileTensor read = ParseNpy(Npy("<U2", "(2,)", unicode));
  CHECK(read.type == ACL_STRING);
  CHECK(Taken(read) == Strings{"a", "\xC3\xA9\xE2\x82\xAC"});
  CHECK(FormatNpy(Of({"a", "\xC3\xA9\xE2\x82\xAC"})) == Npy("<U2", "(2,)", unicode));
  // np.array([b'ab', b'c'])
  CHECK(Taken(ParseNpy(Npy("|S2", "(2,)", "abc\0"s))) == Strings{"ab", "c"});
  // What is no UTF-8 stays bytes.
  CHECK(FormatNpy(Of({"\xFF"})) == Npy("|S1", "(1,)", "\xFF"));
  CHECK_THROWS_AS(ParseNpy(Npy("<U1", "(1,)", "\xFF\xFF\xFF\xFF")), RunError);
}

TEST_CASE("JSON gives strings their dims") {
  const FileTensor two = ParseJsonStrings(R"([["a", "b"], ["c", "d\n"], ["", "e"]])");
  CHECK(two.dims == Dims{3, 2});
  CHECK(Taken(two) == Strings{"a", "b", "c", "d\n", "", "e"});
  CHECK(ParseJsonStrings("\"x\"").dims.empty());
  CHECK(ParseJsonStrings("[]").dims == Dims{0});
  for (const char* bad : {R"([["a"], "b"])", R"([["a"], ["b", "c"]])", "[1]", "[\"a\"", R"(["a", ["b"]])", "{}"}) {
    INFO(bad);
    CHECK_THROWS_AS(ParseJsonStrings(bad), RunError);
  }
  CHECK(LooksLikeJson("[\"a\"]"));
  CHECK_FALSE(LooksLikeJson("strings.json"));
}

TEST_CASE("a TensorProto of strings") {
  // dims 2, data_type 8, string_data "hi", string_data "".
  const unsigned char file[] = {0x08, 2, 0x10, 8, 0x32, 2, 'h', 'i', 0x32, 0};
  CHECK(Taken(ParseTensorProto(std::as_bytes(std::span(file)))) == Strings{"hi", ""});
  CHECK_THROWS_AS(ParseTensorProto(std::as_bytes(std::span(file).first(8))), RunError);
}

TEST_CASE("strings as text, and compared") {
  const std::vector<std::byte> text = FormatText(Of({"a b", "\"q\""}));
  CHECK(std::string(reinterpret_cast<const char*>(text.data()), text.size()) == "\"a b\"\n\"\\\"q\\\"\"\n");
  CHECK(Compare(Of({"a", "b"}), Of({"a", "b"}), {}).match);
  const Comparison differing = Compare(Of({"a", "b", "c"}), Of({"a", "x", "y"}), {});
  CHECK_FALSE(differing.match);
  CHECK(differing.outside == 2);
  CHECK(differing.reason == "2 of 3 strings differ, the first at 1: \"b\" where the reference has \"x\"");
}
