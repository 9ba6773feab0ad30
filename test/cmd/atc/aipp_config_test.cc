#include "cmd/atc/aipp_config.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cmd/atc/aipp_text.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

struct File {
  std::string path;
  explicit File(const std::string& content) {
    char name[] = "/tmp/openatc_aipp_XXXXXX";
    close(mkstemp(name));
    path = name;
    std::ofstream(path) << content;
  }
  ~File() { std::filesystem::remove(path); }
};

std::vector<AippOp> Read(const std::string& content, std::vector<std::string> line = {}) {
  const File file(content);
  line.push_back("--insert_op_conf=" + file.path);
  return CheckAipp(ParseCommandLine(line));
}

std::string Fault(const std::string& content, const std::vector<std::string>& line = {}) {
  try {
    Read(content, line);
  } catch (const Error& error) {
    return error.diagnostic().code + " " + MessageText(error.diagnostic());
  }
  return "";
}

// A static operator with these fields more.
std::string Static(const std::string& fields) {
  return "aipp_op { aipp_mode: static input_format: RGB888_U8 " + fields + " }";
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("a usual configuration, with comments and separators") {
  const std::vector<AippOp> ops = Read(R"(
# for a camera
aipp_op {
  aipp_mode: static; related_input_name: "data"
  input_format : YUV420SP_U8,
  src_image_size_w : 608  src_image_size_h : 608
  crop: true load_start_pos_w: 16 load_start_pos_h: 8 crop_size_w: 416 crop_size_h: 416
  csc_switch : true   # BT-601
  matrix_r0c0 : 256  matrix_r1c2 : -183
  mean_chn_0 : 124 min_chn_1 : 0.5 var_reci_chn_2 : 0.0171247538316637
}
aipp_op: { aipp_mode: dynamic max_src_image_size: 921600 related_input_rank: 1 })");
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].related_input_name == "data");
  CHECK(ops[0].input_format == AippInput::kYuv420sp);
  CHECK(ops[0].src_image_size_w == 608);
  CHECK(ops[0].crop);
  CHECK(ops[0].crop_size_h == 416);
  CHECK(ops[0].matrix[0][0] == 256);
  CHECK(ops[0].matrix[0][1] == 516);
  CHECK(ops[0].matrix[1][2] == -183);
  CHECK(ops[0].mean_chn[0] == 124);
  CHECK(ops[0].min_chn[1] == 0.5);
  CHECK(ops[0].var_reci_chn[2] == 0.0171247538316637);
  CHECK(ops[0].var_reci_chn[0] == 1);
  CHECK(ops[1].dynamic);
  CHECK(ops[1].max_src_image_size == 921600);
}

TEST_CASE("the form of the text") {
  CHECK(Has(Fault("aipp { }"), "line 1"));
  CHECK(Has(Fault("\naipp_op\n"), "line 2"));
  CHECK(Has(Fault("aipp_op { aipp_mode static }"), "'aipp_mode' is not followed by ':'"));
  CHECK(Has(Fault("aipp_op { aipp_mode: }"), "aipp_mode has no value"));
  CHECK(Has(Fault("aipp_op { aipp_mode: static"), "ends within"));
  CHECK(Has(Fault("aipp_op { related_input_name: \"x }"), "does not end"));
  CHECK(Has(Fault(""), "no aipp_op"));
  for (const char* text : {"{", "}", ":", "aipp_op {{", "aipp_op { : }", "aipp_op { \"\" : 1 }", "\"", "#"}) {
    CHECK(Has(Fault(text), "E10052"));
  }
}

TEST_CASE("values of fields") {
  CHECK(Fault(Static("")) == "");
  CHECK(Has(Fault("aipp_op { aipp_mode: fixed }"), "expected static, dynamic"));
  CHECK(Has(Fault("aipp_op { input_format: RGB888_U8 }"), "aipp_mode is missing"));
  CHECK(Has(Fault("aipp_op { aipp_mode: static }"), "needs input_format"));
  CHECK(Has(Fault("aipp_op { aipp_mode: dynamic }"), "needs max_src_image_size"));
  CHECK(Has(Fault(Static("max_src_image_size: 9")), "belongs to aipp_mode dynamic"));
  CHECK(Has(Fault("aipp_op { aipp_mode: static input_format: RGB888 }"), "input_format is 'RGB888'"));
  CHECK(Has(Fault(Static("crop: yes")), "expected true or false"));
  CHECK(Has(Fault(Static("left_padding_size: 33")), "from 0 to 32"));
  CHECK(Has(Fault(Static("mean_chn_0: 1.5")), "a whole number"));
  CHECK(Has(Fault(Static("mean_chn_0: 256")), "from 0 to 255"));
  CHECK(Has(Fault(Static("var_reci_chn_0: nan")), "a number from"));
  CHECK(Has(Fault(Static("src_image_size_w: 4097")), "from 0 to 4096"));
  CHECK(Has(Fault(Static("src_image_size_w: 1 src_image_size_h: 1")), "expected 0, or 2 to 4096"));
  CHECK(Has(Fault(Static("src_image_size_w: 8")), "both 0"));
  CHECK(Has(Fault(Static("mean_chn: 1")), "Did you mean"));
  CHECK(Has(Fault(Static("crop: true crop: false")), "given twice"));
  CHECK(Has(Fault(Static("related_input_rank: 1 related_input_name: \"a\"")), "twice"));
  CHECK(Has(Fault("aipp_op { aipp_mode: static input_format: YUV420SP_U8 src_image_size_w: 3 src_image_size_h: 4 }"),
            "must be even"));
  CHECK(Has(Fault(Static("src_image_size_w: 8 src_image_size_h: 8 crop: true load_start_pos_w: 4 crop_size_w: 5")),
            "crop along w"));
  CHECK(Has(Fault(Static("") + Static("")), "two aipp_op"));
}

TEST_CASE("what other flags exclude") {
  CHECK(Has(Fault(Static("related_input_name: \"a\""), {"--input_fp16_nodes=b;a"}), "E10034"));
  CHECK(Fault(Static("related_input_name: \"a\""), {"--input_fp16_nodes=b"}) == "");
  CHECK(Has(Fault(Static(""), {"--input_shape=a:1~2,3,4,4"}), "whose shape is a range"));
  CHECK(Fault(Static("related_input_rank: 1"), {"--input_shape=a:1~2,3,4,4;b:1"}) == "");
  CHECK(Has(Fault(Static("crop: true"), {"--input_shape=a:1,3,-1,-1", "--dynamic_image_size=1,1;2,2"}),
            "neither crop nor padding"));
}

}  // namespace
}  // namespace atc::cli
