// The archives are numpy.savez and numpy.savez_compressed (NumPy 1.24) of x = arange(3, int32) and y:0 = [[0.5]]; the
// messages are written by protoc --encode from ONNX's own onnx.proto.
#include "cmd/omrun/tensor_file.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cmd/omrun/tensor_proto.h"
#include "cmd/omrun/tensor_text.h"
#include "test/cmd/omrun/hex.h"

namespace atc::omrun {
namespace {

constexpr const char* kStored =
    "504b03041400000000000000210002ecbda98c0000008c00000005001400782e6e7079010010008c000000000000008c00000000"
    "000000934e554d5059010076007b276465736372273a20273c6934272c2027666f727472616e5f6f72646572273a2046616c7365"
    "2c20277368617065273a2028332c292c207d20202020202020202020202020202020202020202020202020202020202020202020"
    "20202020202020202020202020202020202020202020202020200a000000000100000002000000504b0304140000000000000021"
    "00b7eb96d8840000008400000007001400793a302e6e70790100100084000000000000008400000000000000934e554d50590100"
    "76007b276465736372273a20273c6634272c2027666f727472616e5f6f72646572273a2046616c73652c20277368617065273a20"
    "28312c2031292c207d20202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "2020202020202020202020202020200a0000003f504b010214031400000000000000210002ecbda98c0000008c00000005000000"
    "0000000000000000800100000000782e6e7079504b0102140314000000000000002100b7eb96d884000000840000000700000000"
    "000000000000008001c3000000793a302e6e7079504b0506000000000200020068000000800100000000";
constexpr const char* kDeflated =
    "504b03041400000008000000210002ecbda94c0000008c00000005001400782e6e7079010010008c000000000000004c00000000"
    "0000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a2aea3a09e965f54529498179f5f94920a12774bcc294e058a"
    "17672416a402f91ac63a9a3a0ab50a14002e062060046226200600504b030414000000080000002100b7eb96d84a000000840000"
    "0007001400793a302e6e70790100100084000000000000004a000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5"
    "a06e9366a2aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a863a0a869a3a0ab50a64032e060606"
    "7b00504b010214031400000008000000210002ecbda94c0000008c000000050000000000000000000000800100000000782e6e70"
    "79504b0102140314000000080000002100b7eb96d84a00000084000000070000000000000000000000800183000000793a302e6e"
    "7079504b0506000000000200020068000000060100000000";

// A file that is gone when the test is over.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::vector<std::byte>& bytes)
      : path_(std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)) {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string ErrorOf(const std::string& path) {
  try {
    ReadTensorFile(path);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

std::string ProtoError(const std::string& hex) {
  try {
    ParseTensorProto(FromHex(hex));
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("npz archives, stored and deflated") {
  for (const char* archive : {kStored, kDeflated}) {
    const TemporaryFile file("a.npz", FromHex(archive));
    const std::vector<FileTensor> tensors = ReadTensorFile(file.path());
    REQUIRE(tensors.size() == 2);
    CHECK(tensors[0].name == "x");
    CHECK(tensors[0].type == ACL_INT32);
    CHECK(tensors[0].dims == Dims{3});
    CHECK(ToHex(tensors[0].bytes) == "000000000100000002000000");
    CHECK(tensors[1].name == "y:0");
    CHECK(tensors[1].dims == Dims{1, 1});
    CHECK(ToHex(tensors[1].bytes) == "0000003f");
  }
}

TEST_CASE("damaged archives are refused, naming the file") {
  const std::vector<std::byte> whole = FromHex(kDeflated);
  for (size_t size = 0; size < whole.size(); size += 7) {
    const TemporaryFile cut("cut.npz", {whole.begin(), whole.begin() + size});
    CHECK_THAT(ErrorOf(cut.path()), Catch::Contains(cut.path()));
  }
  std::vector<std::byte> flipped = whole;
  flipped[70] ^= std::byte{0x10};  // inside the first member's compressed data
  const TemporaryFile file("flipped.npz", flipped);
  CHECK_THAT(ErrorOf(file.path()), Catch::Contains("member 'x.npy'"));
}

TEST_CASE("tensor messages with typed and raw data") {
  // dims 2, 2, float_data 1 -2.5 0 3, name x:0
  const FileTensor floats = ParseTensorProto(FromHex("08020802100122100000803f000020c000000000000040404203783a30"));
  CHECK(floats.name == "x:0");
  CHECK(floats.type == ACL_FLOAT);
  CHECK(floats.dims == Dims{2, 2});
  CHECK(ToHex(floats.bytes) == "0000803f000020c00000000000004040");
  // float16 in int32_data: 15360, 49408, 31743
  const FileTensor halves = ParseTensorProto(FromHex("0803100a2a088078808203fff701"));
  CHECK(halves.type == ACL_FLOAT16);
  CHECK(ToHex(halves.bytes) == "003c00c1ff7b");
  const FileTensor scalar = ParseTensorProto(FromHex("10073a0afbffffffffffffffff01"));  // int64_data -5
  CHECK(scalar.dims.empty());
  CHECK(ToHex(scalar.bytes) == "fbffffffffffffff");
  const FileTensor bools = ParseTensorProto(FromHex("080210094a020100620164"));  // raw_data 1 0, and a doc_string
  CHECK(bools.type == ACL_BOOL);
  CHECK(ToHex(bools.bytes) == "0100");
}

TEST_CASE("messages that are none, or none that can be used, are refused") {
  CHECK_THAT(ProtoError(""), Catch::Contains("empty"));
  CHECK_THAT(ProtoError("ffffffffffffffffffffff"), Catch::Contains("no ONNX TensorProto"));
  CHECK_THAT(ProtoError("08021001"), Catch::Contains("takes 8 bytes, it holds 0"));
  CHECK_THAT(ProtoError("10084a00"), Catch::Contains("string [] has 1 elements, it holds 0"));
  CHECK_THAT(ProtoError("100108ffffffffffffffffff01"), Catch::Contains("not possible"));  // dim -1
  CHECK_THAT(ProtoError("100170014a00"), Catch::Contains("another file"));
  const std::string whole = "08020802100122100000803f000020c000000000000040404203783a30";
  for (size_t size = 2; size + 2 < whole.size() - 10; size += 2) {
    INFO("cut to " << size / 2 << " bytes");
    CHECK(ProtoError(whole.substr(0, size)) != "");
  }
}

TEST_CASE("files that cannot be read are named") {
  CHECK_THAT(ErrorOf("/nowhere/x.npy"), Catch::Contains("'/nowhere/x.npy'") && Catch::Contains("No such file"));
  CHECK_THAT(ErrorOf("/nowhere/x.npz"), Catch::Contains("No such file"));
  CHECK_THAT(ErrorOf("x.jpg"), Catch::Contains("extension"));
  const TemporaryFile empty("empty.npy", {});
  CHECK_THAT(ErrorOf(empty.path()), Catch::Contains("empty"));
}

TEST_CASE("text keeps every value") {
  const std::string bytes =
      "cdcccc3d"
      "0000c07f"
      "000080ff"
      "ffff7f7f"
      "01000000"
      "00000080";
  const Tensor tensor{ACL_FLOAT, {2, 3}, FromHex(bytes)};
  const std::vector<std::byte> text = FormatText(tensor);
  const std::string chars(reinterpret_cast<const char*>(text.data()), text.size());
  CHECK(chars == "0.1 nan -inf\n3.4028235e+38 1e-45 -0\n");
  CHECK(ToHex(ParseText(text, ACL_FLOAT, {2, 3}).bytes) == bytes);
  const Tensor wide{ACL_INT64, {2}, FromHex("ffffffffffffff7f0000000000000080")};
  CHECK(ParseText(FormatText(wide), ACL_INT64, {2}).bytes == wide.bytes);
  CHECK_THROWS_AS(ParseText(text, ACL_FLOAT, {7}), RunError);
  CHECK_THROWS_AS(ParseText(text, ACL_FLOAT, {5}), RunError);
  CHECK_THROWS_AS(ParseText(text, ACL_INT32, {2, 3}), RunError);
}

}  // namespace atc::omrun
