#include "parsers/onnx/model_json.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/ir/error.h"

namespace atc {
namespace {

// One length-delimited protobuf field, by hand: fields of onnx.proto are below 16, texts here below 128 bytes.
std::string Field(int number, const std::string& value) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(value.size())} + value;
}
std::string Number(int number, int value) { return {static_cast<char>(number << 3), static_cast<char>(value)}; }

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    const int fd = mkstemp(path_);
    REQUIRE(write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    close(fd);
  }
  ~TemporaryFile() { unlink(path_); }
  std::string path() const { return path_; }

 private:
  char path_[32] = "/tmp/openatc_json_XXXXXX";
};

std::string Code(const std::string& content) {
  const TemporaryFile file(content);
  StringSink out;
  try {
    WriteOnnxJson(file.path(), out);
  } catch (const Error& error) {
    return error.diagnostic().code;
  }
  return out.text;
}

TEST_CASE("an ONNX graph as JSON holds nodes, attributes with their type's name, and weights") {
  // GraphProto: node 1, name 2, initializer 5; NodeProto: input 1, output 2, name 3, op_type 4, attribute 5;
  // AttributeProto: name 1, i 3, type 20 (two-byte tag); TensorProto: dims 1, data_type 2, float_data 4, name 8.
  const std::string attribute = Field(1, "axis") + Number(3, 1) + std::string("\xA0\x01\x02", 3);
  const std::string node =
      Field(1, "x") + Field(1, "w") + Field(2, "y") + Field(3, "cat") + Field(4, "Concat") + Field(5, attribute);
  const std::string tensor =
      Number(1, 2) + Number(2, 1) + Field(4, std::string("\0\0\x80\x3F\0\0\0\x40", 8)) + Field(8, "w");
  const std::string model = Number(1, 8) + Field(7, Field(1, node) + Field(2, "g") + Field(5, tensor));
  const auto json = nlohmann::json::parse(Code(model));
  CHECK(json["name"] == "g");
  REQUIRE(json["node"].size() == 1);
  CHECK(json["node"][0]["input"] == nlohmann::json({"x", "w"}));
  CHECK(json["node"][0]["op_type"] == "Concat");
  CHECK(json["node"][0]["attribute"][0]["name"] == "axis");
  CHECK(json["node"][0]["attribute"][0]["type"] == "INT");
  REQUIRE(json["initializer"].size() == 1);
  CHECK(json["initializer"][0]["name"] == "w");
  CHECK(json["initializer"][0]["float_data"].size() == 2);
  CHECK(json.find("ir_version") == json.end());  // the graph alone
}

TEST_CASE("what is no ONNX model is told") {
  CHECK(Code("") == "E13015");
  CHECK(Code("this is a text file\n") == "E13005");
  CHECK(Code(Number(1, 8)) == "E16004");
  CHECK(Code(Number(1, 8) + std::string("\x3A\x7F", 2)) == "E13005");  // cut within the graph
}

}  // namespace
}  // namespace atc
