// Arrays of strings as numpy.save writes them.
#include "compiler/io/npy.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/ir/error.h"

using namespace atc;

namespace {

// A file with this head and these elements.
std::string Saved(const std::string& type, const std::string& shape, bool columns, const std::string& elements) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("openatc_npy_" + std::to_string(getpid()) + ".npy");
  std::string head =
      "{'descr': '" + type + "', 'fortran_order': " + (columns ? "True" : "False") + ", 'shape': " + shape + ", }";
  head.resize(117, ' ');
  std::ofstream out(path, std::ios::binary);
  out << "\x93NUMPY" << '\1' << '\0' << 'v' << '\0' << head << '\n' << elements;
  return path;
}

std::vector<std::string> Strings(const std::string& path) {
  const Tensor tensor = ReadNpy(path);
  std::filesystem::remove(path);
  REQUIRE(tensor.dtype() == DT_STRING);
  return {tensor.Data<std::string>(), tensor.Data<std::string>() + tensor.NumElements()};
}

// Code points in 4 bytes each, little-endian.
std::string Wide(std::u32string_view points) {
  std::string bytes;
  for (const char32_t point : points) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(point >> shift & 0xFF);
  }
  return bytes;
}

}  // namespace

TEST_CASE("strings of characters become UTF-8") {
  // numpy.array(["a", "né", "", "\u4e2d\U0001f600"]), of 2 characters each.
  const std::string path = Saved("<U2", "(4,)", false, Wide(std::u32string_view(U"a\0né\0\0\u4e2d\U0001f600", 8)));
  CHECK(Strings(path) == std::vector<std::string>{"a", "n\xc3\xa9", "", "\xe4\xb8\xad\xf0\x9f\x98\x80"});
}

TEST_CASE("strings of bytes and of columns are read in rows") {
  const std::string elements("ab\0c\0\0d\0\0ef\0", 12);  // (2, 2): ab, d and c, ef
  CHECK(Strings(Saved("|S3", "(2, 2)", true, elements)) == std::vector<std::string>{"ab", "d", "c", "ef"});
  CHECK(Strings(Saved("|S0", "(2,)", false, "")) == std::vector<std::string>{"", ""});
}

TEST_CASE("arrays of strings that are none are refused") {
  const std::string cases[][3] = {{"<U2", "(2,)", "abc"},
                                  {"<U1", "(1,)", std::string("\0\0\x11\0", 4)},
                                  {"<U9999999999", "(1,)", ""},
                                  {"|S0", "(1099511627776,)", ""},
                                  {">U1", "(1,)", Wide(U"a")}};
  for (const auto& [type, shape, elements] : cases) {
    INFO(type << " " << shape);
    CHECK_THROWS_AS(ReadNpy(Saved(type, shape, false, elements)), Error);
  }
}
