#include "parsers/onnx/tensor_reader.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/ir/error.h"
#include "parsers/onnx/scanner.h"
#include "test/parsers/onnx/model_maker.h"

namespace atc::testing {
namespace {

using namespace onnx_parser;

Tensor ReadBytes(const std::string& bytes, const std::string& path = "t.pb") {
  const auto file = ModelFile::FromBytes(path, bytes);
  ScannedFile scanned = Scan(*file, Message::kTensor);
  onnx::TensorProto skeleton;
  REQUIRE(skeleton.ParseFromString(scanned.skeleton));
  CHECK(skeleton.raw_data().empty());
  CHECK(skeleton.float_data_size() == 0);
  return TensorReader(file, std::move(scanned.payloads)).Read(skeleton).Materialized();
}

Tensor Read(const onnx::TensorProto& proto, const std::string& path = "t.pb") {
  return ReadBytes(proto.SerializeAsString(), path);
}

onnx::TensorProto Proto(int type, const std::vector<int64_t>& dims) {
  onnx::TensorProto proto;
  proto.set_name("t");
  proto.set_data_type(type);
  for (const int64_t dim : dims) proto.add_dims(dim);
  return proto;
}

TEST_CASE("tensors are read from raw data and from every typed field") {
  onnx::TensorProto floats = Proto(1, {2});
  floats.add_float_data(1.5f);
  floats.add_float_data(-2);
  CHECK(BitEqual(Read(floats), Tensor::From<float>(DT_FLOAT, {2}, {1.5f, -2})));
  onnx::TensorProto raw = Proto(7, {1});
  raw.set_raw_data(std::string("\x05\0\0\0\0\0\0\0", 8));
  CHECK(BitEqual(Read(raw), Tensor::From<int64_t>(DT_INT64, {1}, {5})));
  onnx::TensorProto doubles = Proto(11, {});
  doubles.add_double_data(0.25);
  CHECK(BitEqual(Read(doubles), Tensor::From<double>(DT_DOUBLE, {}, {0.25})));
  onnx::TensorProto halves = Proto(10, {2});  // fp16 as bit patterns in int32_data
  halves.add_int32_data(0x3C00);
  halves.add_int32_data(0xC000);
  CHECK(ToDoubles(Read(halves)) == std::vector<double>{1, -2});
  onnx::TensorProto bytes = Proto(3, {2});
  bytes.add_int32_data(-1);
  bytes.add_int32_data(7);
  CHECK(BitEqual(Read(bytes), Tensor::From<int8_t>(DT_INT8, {2}, {-1, 7})));
  onnx::TensorProto unsigned32 = Proto(12, {1});
  unsigned32.add_uint64_data(4000000000u);
  CHECK(BitEqual(Read(unsigned32), Tensor::From<uint32_t>(DT_UINT32, {1}, {4000000000u})));
  onnx::TensorProto strings = Proto(8, {2});
  strings.add_string_data("a");
  strings.add_string_data("");
  CHECK(BitEqual(Read(strings), Tensor::From<std::string>(DT_STRING, {2}, {"a", ""})));
  onnx::TensorProto nibbles = Proto(22, {3});  // int4: two a byte, low nibble first
  nibbles.add_int32_data(0x8F);
  nibbles.add_int32_data(0x07);
  CHECK(ToInts(Read(nibbles)) == std::vector<int64_t>{-1, -8, 7});
  onnx::TensorProto float8 = Proto(17, {1});  // E4M3FN
  float8.set_raw_data("\x38");
  CHECK(ToDoubles(Read(float8)) == std::vector<double>{1});
}

TEST_CASE("unpacked and split lists are read like packed ones") {
  // data_type 1, dims 3; float_data unpacked (tag 0x25) once, then packed (tag 0x22) with two.
  const std::string bytes("\x08\x03\x10\x01\x25\0\0\x80\x3F\x22\x08\0\0\0\x40\0\0\x40\x40", 19);
  CHECK(ToDoubles(ReadBytes(bytes)) == std::vector<double>{1, 2, 3});
}

TEST_CASE("large tensors stay in the file where they are aligned") {
  onnx::TensorProto proto = Proto(2, {100000});
  proto.set_raw_data(std::string(100000, 'x'));
  const std::string bytes = proto.SerializeAsString();
  const auto file = ModelFile::FromBytes("t.pb", bytes);
  ScannedFile scanned = Scan(*file, Message::kTensor);
  CHECK(scanned.skeleton.size() < 100);
  onnx::TensorProto skeleton;
  REQUIRE(skeleton.ParseFromString(scanned.skeleton));
  const Tensor tensor = TensorReader(file, std::move(scanned.payloads)).Read(skeleton);
  CHECK(tensor.Data() > file->data());
  CHECK(tensor.Data() < file->data() + file->size());
}

TEST_CASE("wrong amounts of data name what is there and what is wanted") {
  const auto reason = [](const onnx::TensorProto& proto) {
    const Diagnostic diagnostic = Thrown([&] { Read(proto); });
    CHECK(diagnostic.code == "E13014");
    CHECK(Argument(diagnostic, "opname") == "t");
    return Argument(diagnostic, "reason");
  };
  onnx::TensorProto raw = Proto(1, {3});
  raw.set_raw_data("12345678");
  CHECK(reason(raw) == "raw_data has 8 bytes, 3 elements of DT_FLOAT take 12");
  onnx::TensorProto few = Proto(7, {3});
  few.add_int64_data(1);
  CHECK(reason(few) == "int64_data has 1 numbers, the dims ask for 3");
  CHECK(reason(Proto(1, {2})).find("has 0 bytes") != std::string::npos);
  CHECK(reason(Proto(1, {-2})).find("negative") != std::string::npos);
  CHECK(reason(Proto(1, {1 << 30, 1 << 30, 1 << 30})).find("more elements") != std::string::npos);
  CHECK(reason(Proto(99, {1})).find("99") != std::string::npos);
  CHECK(Read(Proto(1, {0, 4})).NumElements() == 0);
}

TEST_CASE("external data are found beside the model and nowhere else") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("atc_external_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "w.bin", std::ios::binary) << std::string("....\0\0\x80\x3F\0\0\0\x40", 12);
  const std::string model = (folder / "m.onnx").string();
  const auto external = [&](const std::string& location, const std::string& offset, const std::string& length) {
    onnx::TensorProto proto = Proto(1, {2});
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
             {"location", location}, {"offset", offset}, {"length", length}}) {
      if (value.empty()) continue;
      auto* entry = proto.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    return proto;
  };
  CHECK(ToDoubles(Read(external("w.bin", "4", "8"), model)) == std::vector<double>{1, 2});
  CHECK(ToDoubles(Read(external("./sub/../w.bin", "4", ""), model)) == std::vector<double>{1, 2});
  const auto code = [&](const onnx::TensorProto& proto) { return Thrown([&] { Read(proto, model); }).code; };
  CHECK(code(external("w.bin", "8", "8")) == "E13014");     // past the end
  CHECK(code(external("w.bin", "4", "4")) == "E13014");     // too few
  CHECK(code(external("w.bin", "x", "8")) == "E13014");     // no number
  CHECK(code(external("../w.bin", "4", "8")) == "E13014");  // outside
  CHECK(code(external("/etc/passwd", "0", "8")) == "E13014");
  CHECK(code(external("absent.bin", "4", "8")) == "E13001");
  CHECK(code(external("", "4", "8")) == "E13014");
  CHECK(code(external("a/../../w.bin", "4", "8")) == "E13014");
  CHECK(code(external("w.bin", "-4", "8")) == "E13014");
  CHECK(code(external("w.bin", "18446744073709551612", "8")) == "E13014");  // offset + length wraps
  fs::remove_all(folder);
}

TEST_CASE("external data lie in several files and folders, with keys in any order, and links stay inside") {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("atc_layouts_" + std::to_string(::getpid()));
  const fs::path folder = root / "model";
  fs::create_directories(folder / "deep" / "er");
  const auto write = [](const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  };
  const std::string one("\0\0\x80\x3F", 4), two("\0\0\0\x40", 4);
  write(folder / "a.bin", one + two);
  write(folder / "deep" / "er" / "b.data", two);
  write(root / "outside.bin", one);
  fs::create_symlink("a.bin", folder / "inside_link.bin");
  fs::create_symlink("../outside.bin", folder / "outside_link.bin");
  fs::create_directory_symlink("..", folder / "up");
  fs::create_symlink("nowhere", folder / "dangling.bin");
  // A cache of models: links to where the files are.
  fs::create_directories(root / "view");
  fs::create_symlink("../model/m.onnx", root / "view" / "m.onnx");
  fs::create_symlink("../model/a.bin", root / "view" / "a.bin");
  write(folder / "m.onnx", "model");

  const auto tensor = [](const std::vector<std::pair<std::string, std::string>>& entries) {
    onnx::TensorProto proto = Proto(1, {1});
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto* entry = proto.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
    return proto;
  };
  const auto read = [&](const onnx::TensorProto& proto, const fs::path& model) {
    return ToDoubles(Read(proto, model.string())).at(0);
  };
  const fs::path model = folder / "m.onnx";
  const std::string digest = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
  CHECK(read(tensor({{"location", "a.bin"}, {"offset", "0"}, {"length", "4"}}), model) == 1);
  CHECK(read(tensor({{"checksum", digest}, {"length", "4"}, {"offset", "4"}, {"location", "a.bin"}}), model) == 2);
  CHECK(read(tensor({{"location", "a.bin"}, {"offset", "4"}}), model) == 2);
  CHECK(read(tensor({{"location", "deep/er/b.data"}}), model) == 2);
  CHECK(read(tensor({{"location", "deep/er/b.data"}, {"length", "4"}}), model) == 2);
  CHECK(read(tensor({{"location", "inside_link.bin"}, {"length", "4"}}), model) == 1);
  CHECK(read(tensor({{"location", "a.bin"}, {"length", "4"}}), root / "view" / "m.onnx") == 1);

  const auto code = [&](const std::string& location) {
    return Thrown([&] { Read(tensor({{"location", location}, {"length", "4"}}), model.string()); }).code;
  };
  CHECK(code("outside_link.bin") == "E13014");
  CHECK(code("up/outside.bin") == "E13014");
  CHECK(code("dangling.bin") == "E13001");
  CHECK(code("deep") == "E13001");  // a folder
  fs::remove_all(root);
}

}  // namespace
}  // namespace atc::testing
