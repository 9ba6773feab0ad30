#include "compiler/om/json.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/ir/error.h"
#include "compiler/om/container.h"
#include "compiler/om/writer.h"
#include "test/compiler/om/sample_model.h"

namespace atc {
namespace {

struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const std::string& bytes) {
    path = (std::filesystem::temp_directory_path() / "openatc_test_XXXXXX").string();
    close(mkstemp(path.data()));
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

nlohmann::json OmJson(const std::string& om) {
  const TemporaryFile file(om);
  StringSink out;
  WriteOmJson(file.path, out);
  return nlohmann::json::parse(out.text);
}

nlohmann::json Attr(const nlohmann::json& attrs, const std::string& key) {
  for (const auto& attr : attrs) {
    if (attr["key"] == key) return attr["value"];
  }
  return nullptr;
}

// Wire format by hand: what a vendor's tool would write.
std::string Field(int number, const std::string& bytes) {
  std::string out;
  for (uint64_t value : {static_cast<uint64_t>(number) << 3 | 2, static_cast<uint64_t>(bytes.size())}) {
    while (value >= 0x80) {
      out += static_cast<char>((value & 0x7F) | 0x80);
      value >>= 7;
    }
    out += static_cast<char>(value);
  }
  return out + bytes;
}
std::string Number(int number, int value) { return {static_cast<char>(number << 3), static_cast<char>(value)}; }
std::string Entry(int map, const std::string& key, const std::string& value) {
  return Field(map, Field(1, key) + Field(2, value));
}
std::string S(const std::string& text) { return Field(2, text); }
std::string I(int value) { return Number(3, value); }
std::string List(const std::string& items) { return Field(1, items); }

std::string Container(const std::string& model_def) {
  const PartitionSize partitions[] = {{PartitionType::kModelDef, model_def.size()}, {PartitionType::kTasks, 1}};
  return OmPrefix("vendor", false, partitions) + model_def + "x";
}

TEST_CASE("our om as JSON") {
  const auto json = OmJson(WriteOm(SampleModel()));
  CHECK(json["name"] == "sample");
  CHECK(json["version"] == 2);
  CHECK(Attr(json["attr"], "memory_size")["i"] == 4096);
  CHECK(Attr(json["attr"], "stream_num")["i"] == 2);
  CHECK(Attr(json["attr"], "soc_version")["s"] == "Ascend910B3");
  const auto& op = json["graph"][0]["op"][1];
  CHECK(op["name"] == "w");
  CHECK(op["id"] == 1);
  const auto value = Attr(op["attr"], "value")["t"];
  CHECK(value["desc"]["dtype"] == "DT_FLOAT");
  CHECK(value["desc"]["shape"]["dim"] == nlohmann::json::array({3, 4}));
  CHECK_FALSE(value["desc"].contains("data_offset"));
  CHECK_FALSE(value["desc"].contains("weight_size"));
}

TEST_CASE("an om with compressed attributes is smaller and says the same") {
  OmModel model = SampleModel();
  const std::string plain = WriteOm(model);
  model.compress_attributes = true;
  const std::string small = WriteOm(model);
  CHECK(plain.find("attr_name_enum") == std::string::npos);
  CHECK(small.find("attr_name_enum") != std::string::npos);
  const auto count = [](const std::string& text, const std::string& word) {
    size_t found = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  CHECK(count(plain, "_ir_attr_names") > 1);
  CHECK(count(small, "_ir_attr_names") == 1);  // in the table
  nlohmann::json a = OmJson(plain), b = OmJson(small);
  CHECK(a == b);
  CHECK(WriteOm(model) == small);
}

TEST_CASE("compressed attributes of vendors' models are expanded") {
  // Name 0 is "count", a number; name 128 = 1 + 1 * 127 is "kind", a string.
  std::string names = S("count");
  std::string use;
  for (int i = 1; i < 128; ++i) names += S("n" + std::to_string(i));
  names += S("kind");
  for (int i = 0; i < 128; ++i) use += '\0';
  use += '\1';
  const std::string code0("\0\1", 2);
  const std::string code128("\0\2\2", 3);
  const std::string op = Field(1, "op1") + Entry(10, code0, I(7)) + Entry(10, code128, I(1)) +
                         Entry(10, "plain", S("p")) +
                         Field(33, Entry(5, code128, List(Field(3, std::string("\0\1", 2)) + "\xa0\x01\x02")));
  const std::string model = Entry(11, "om_compress_version", I(1)) + Entry(11, "attr_name_enum", List(names)) +
                            Entry(11, "attr_value_enum", List(S("zero") + S("one"))) +
                            Entry(11, "attrs_use_string_value", List(Field(5, use))) + Field(7, Field(6, op));
  const auto json = OmJson(Container(model));
  CHECK_FALSE(json.contains("attr"));
  const auto& read = json["graph"][0]["op"][0];
  CHECK(Attr(read["attr"], "count")["i"] == 7);
  CHECK(Attr(read["attr"], "kind")["s"] == "one");
  CHECK(Attr(read["attr"], "plain")["s"] == "p");
  const auto list = Attr(read["input_desc"][0]["attr"], "kind")["list"];
  CHECK(list["s"] == nlohmann::json::array({"zero", "one"}));
  CHECK(list["val_type"] == "VT_LIST_STRING");
}

TEST_CASE("fused operators of vendors' models name their group") {
  const std::string first = Entry(10, "fusion_scope", Field(2, ""));       // no number: no group
  const std::string second = Entry(10, "fusion_scope", I(5));              // 5: a UB group
  const std::string op = Field(1, "op") + std::string("\xb0\x01\x03", 3);  // stream_id 3
  const std::string model = Entry(11, "fm", List(Field(7, first) + Field(7, second))) +
                            Field(7, Field(6, Field(1, "op0")) + Field(6, op) + Field(6, Field(1, "op2")));
  const auto json = OmJson(Container(model));
  CHECK_FALSE(json["graph"][0]["op"][0].contains("attr"));
  CHECK(Attr(json["graph"][0]["op"][1]["attr"], "group_op_name")["s"] == "group_op_ub_5_3");
  CHECK_FALSE(json["graph"][0]["op"][2].contains("attr"));
}

TEST_CASE("an older container is read too") {
  const std::string model = Field(1, "old");
  std::string header(256, '\0');
  header.replace(0, 4, "IMOD");
  header[5] = 1;      // header of 256 bytes
  header[11] = 0x10;  // version 0x10000000
  std::string table(4 + 12, '\0');
  table[0] = 1;
  table[12] = static_cast<char>(model.size());
  header[76] = static_cast<char>(table.size() + model.size());
  CHECK(OmJson(header + table + model)["name"] == "old");
}

TEST_CASE("of several models the first is read, whatever the size of the header and the kinds of partitions") {
  const auto put = [](std::string* to, size_t at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) (*to)[at + i] = static_cast<char>(value >> (8 * i));
  };
  // A wide table and its partitions, back to back.
  const auto block = [&](const std::vector<std::pair<uint32_t, std::string>>& partitions) {
    std::string table(8 + 24 * partitions.size(), '\0');
    std::string content;
    put(&table, 0, partitions.size(), 4);
    for (size_t i = 0; i < partitions.size(); ++i) {
      put(&table, 8 + 24 * i, partitions[i].first, 4);
      put(&table, 16 + 24 * i, content.size(), 8);
      put(&table, 24 + 24 * i, partitions[i].second.size(), 8);
      content += partitions[i].second;
    }
    return table + content;
  };
  const std::string payload =
      block({{5, "so"}, {26, "custom"}, {12, "tiling"}, {8, "inout"}, {0, Field(1, "root")}, {1, "weights"}, {2, "tasks"}}) +
      block({{0, Field(1, "known")}, {2, "more tasks"}});
  for (const size_t head : {size_t{256}, size_t{512}}) {
    std::string header(head, '\0');
    header.replace(0, 4, "IMOD");
    put(&header, 4, head, 4);
    put(&header, 8, 0x20000000, 4);
    put(&header, 156, 2, 4);  // models
    put(&header, 184, payload.size(), 8);
    CHECK(OmJson(header + payload)["name"] == "root");
  }
}

TEST_CASE("what is no om is an error") {
  StringSink out;
  const TemporaryFile text("some text that is no model at all");
  CHECK_THROWS_AS(WriteOmJson(text.path, out), Error);
  const TemporaryFile garbage(Container(std::string("\xff\xff\xff", 3)));
  CHECK_THROWS_AS(WriteOmJson(garbage.path, out), Error);
}

}  // namespace
}  // namespace atc
