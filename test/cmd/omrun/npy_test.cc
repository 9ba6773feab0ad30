// The headers and data are what NumPy 1.24 writes (numpy.save of the arrays named in the comments).
#include "cmd/omrun/npy.h"

#include <catch2/catch.hpp>

#include "test/cmd/omrun/hex.h"

namespace atc::omrun {
namespace {

// A file of version 1 or more from NumPy's header text, padded as NumPy does, and its data.
std::vector<std::byte> File(const std::string& header, const std::string& data, char version = 1) {
  const size_t prefix = version == 1 ? 10 : 12;
  std::string text = header + std::string(63 - (prefix + header.size()) % 64, ' ') + "\n";
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (size_t i = 0; i < prefix - 8; ++i) file += static_cast<char>(text.size() >> (8 * i));
  file += text;
  std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(file.data()),
                               reinterpret_cast<const std::byte*>(file.data()) + file.size());
  for (const std::byte byte : FromHex(data)) bytes.push_back(byte);
  return bytes;
}

struct Golden {
  const char* header;
  const char* data;
  aclDataType type;
  Dims dims;
  const char* row_major;
};

const Golden kGoldens[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
     "000000000000c03f000000c000004040000080400000807f",
     ACL_FLOAT,
     {2, 3},
     "000000000000c03f000000c000004040000080400000807f"},  // [[0, 1.5, -2], [3, 4, inf]]
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }",
     "00000000000040400000c03f00008040000000c00000807f",
     ACL_FLOAT,
     {2, 3},
     "000000000000c03f000000c000004040000080400000807f"},  // the same, asfortranarray
    {"{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }",
     "00060208040a01070309050b",
     ACL_UINT8,
     {2, 3, 2},
     "000102030405060708090a0b"},  // asfortranarray(arange(12).reshape(2, 3, 2))
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (), }", "01", ACL_BOOL, {}, "01"},       // array(True)
    {"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 3), }", "", ACL_INT64, {0, 3}, ""},  // zeros((0, 3))
    {"{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", "0700ffff", ACL_INT16, {2}, "0700ffff"},  // [7, -1]
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }",
     "003c00c1ff7b",
     ACL_FLOAT16,
     {3},
     "003c00c1ff7b"},  // [1, -2.5, 65504]
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
     "0000803f00000040",
     ACL_COMPLEX64,
     {1},
     "0000803f00000040"},  // [1+2j]
    {"{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }",
     "803f00c0",
     ACL_DT_UNDEFINED,
     {2},
     "803f00c0"},  // two void elements, as ml_dtypes keeps bfloat16
};

std::string ErrorOf(const std::vector<std::byte>& file) {
  try {
    ParseNpy(file);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("npy files of NumPy are read in every order and version") {
  for (const Golden& golden : kGoldens) {
    for (const char version : {1, 2, 3}) {
      INFO(golden.header << " version " << int{version});
      const FileTensor tensor = ParseNpy(File(golden.header, golden.data, version));
      CHECK(tensor.type == golden.type);
      CHECK(tensor.dims == golden.dims);
      CHECK(ToHex(tensor.bytes) == golden.row_major);
    }
  }
}

TEST_CASE("npy files are written as NumPy writes them") {
  // numpy.save of the first array, byte for byte.
  const std::string golden =
      "934e554d5059010076007b276465736372273a20273c6634272c2027666f727472616e5f6f726465"
      "72273a2046616c73652c20277368617065273a2028322c2033292c207d2020202020202020202020"
      "20202020202020202020202020202020202020202020202020202020202020202020202020202020"
      "202020202020200a000000000000c03f000000c000004040000080400000807f";
  for (const Golden& array : kGoldens) {
    if (array.type == ACL_DT_UNDEFINED) continue;
    INFO(array.header);
    const std::vector<std::byte> file = FormatNpy({array.type, array.dims, FromHex(array.row_major)});
    if (std::string(array.header).find("True") == std::string::npos || array.dims.empty()) {
      CHECK(ToHex(file) == ToHex(File(array.header, array.data)));
    }
    CHECK(ToHex(ParseNpy(file).bytes) == array.row_major);
  }
  CHECK(ToHex(FormatNpy({ACL_FLOAT, {2, 3}, FromHex(kGoldens[0].row_major)})) == golden);
}

TEST_CASE("types that NumPy cannot name go through void elements and integers") {
  const Tensor bfloat{ACL_BF16, {2}, FromHex("803f00c0")};  // 1, -2
  FileTensor read = ParseNpy(FormatNpy(bfloat));
  CHECK(read.opaque_bytes == 2);
  const ElementType& type = *FindElementType(ACL_BF16);
  REQUIRE(TakeAs(type, &read));
  CHECK(read.bytes == bfloat.bytes);
  CHECK(ScalarAt(type, read.bytes.data(), 0) == 1);
  CHECK(ScalarAt(type, read.bytes.data(), 1) == -2);

  FileTensor integers = ParseNpy(FormatNpy({ACL_UINT16, {2}, bfloat.bytes}));
  CHECK(TakeAs(type, &integers));
  FileTensor halves = ParseNpy(FormatNpy({ACL_FLOAT16, {2}, bfloat.bytes}));
  CHECK_FALSE(TakeAs(type, &halves));

  const Tensor narrow{ACL_INT4, {3}, FromHex("f107")};  // 1, -1, 7: the first in the low bits
  FileTensor wide = ParseNpy(FormatNpy(narrow));
  CHECK(ToHex(wide.bytes) == "01ff07");
  REQUIRE(TakeAs(*FindElementType(ACL_INT4), &wide));
  CHECK(wide.bytes == narrow.bytes);
}

TEST_CASE("npy files that no model can take are refused with the reason") {
  CHECK_THAT(ErrorOf(File("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }",
                          "000000003fc00000c000000040400000408000007f800000")),
             Catch::Contains("big-endian"));
  CHECK_THAT(ErrorOf(File("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "00000000")),
             Catch::Contains("structured"));
  CHECK_THAT(ErrorOf(File("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
                          "8003636e756d70792e636f72652e6d756c74696172726179")),
             Catch::Contains("none that a model can take"));
  const auto whole = File(kGoldens[0].header, kGoldens[0].data);
  for (size_t size = 0; size < whole.size(); ++size) {
    INFO("cut to " << size << " bytes");
    CHECK(ErrorOf({whole.begin(), whole.begin() + size}) != "");
  }
  CHECK_THAT(ErrorOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "")),
             Catch::Contains("too large"));
  CHECK_THAT(ErrorOf(File("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "")),
             Catch::Contains("header"));
  CHECK_THAT(ErrorOf(File("{'descr': '<f4', 'shape': (1,), }", "00000000")), Catch::Contains("lacks"));
  CHECK_THAT(ErrorOf(File("['descr']", "")), Catch::Contains("header"));
}

}  // namespace atc::omrun
