#include "cmd/atc/precision_files.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

using Reader = void (*)(const std::string&, PrecisionOptions*);

PrecisionOptions Read(Reader read, const std::string& content) {
  char path[] = "/tmp/openatc_precision_XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << content;
  PrecisionOptions options;
  try {
    read(path, &options);
  } catch (...) {
    std::filesystem::remove(path);
    throw;
  }
  std::filesystem::remove(path);
  return options;
}

std::string Fault(Reader read, const std::string& content) {
  try {
    Read(read, content);
  } catch (const Error& error) {
    return error.diagnostic().code + " " + MessageText(error.diagnostic());
  }
  return "";
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("an ini file gives modes by type and by name") {
  const PrecisionOptions options = Read(ReadOpPrecisionMode,
                                        "; comment\n[ByOpType]\nConv2D = high_precision\n[ByNodeName]\n"
                                        "graph/conv=1=enable_float_32_execution\nn#1=keep_fp16 # here\n");
  CHECK(options.mode_by_type == std::map<std::string, std::string>{{"Conv2D", "high_precision"}});
  CHECK(options.mode_by_name ==
        std::map<std::string, std::string>{{"graph/conv=1", "enable_float_32_execution"}, {"n#1", "keep_fp16"}});
  CHECK(Has(Fault(ReadOpPrecisionMode, "Conv2D=high_precision\n"), "E20003 line 1 in"));
  CHECK(Has(Fault(ReadOpPrecisionMode, "[ByOptype]\n"), "E20003 line 1 in"));
  CHECK(Has(Fault(ReadOpPrecisionMode, "[ByOpType]\nConv2D=high_precison\n"), "'high_precison' is no mode"));
  CHECK(Has(Fault(ReadOpPrecisionMode, "[ByOpType]\n=high_precision\n"), "E20003 line 2 in"));
}

TEST_CASE("a mixlist changes the lists; gray takes from both") {
  const PrecisionOptions options =
      Read(ReadMixlist, R"({"black-list":{"to-add":["Relu"]},"white-list":{"to-add":["Exp"],"to-remove":["Conv2D"]},)"
                        R"("gray-list":{"to-add":["MatMulV2"]}})");
  CHECK(options.black_list.to_add == std::set<std::string>{"Relu"});
  CHECK(options.white_list.to_add == std::set<std::string>{"Exp"});
  CHECK(options.white_list.to_remove == std::set<std::string>{"Conv2D", "MatMulV2"});
  CHECK(Has(Fault(ReadMixlist, R"({"blacklist":{}})"), "E20003 blacklist in"));
  CHECK(Has(Fault(ReadMixlist, R"({"black-list":{"add":[]}})"), "E20003 black-list.add in"));
  CHECK(Has(Fault(ReadMixlist, R"({"black-list":{"to-add":"Relu"}})"), "E20003 black-list.to-add in"));
  CHECK(Has(Fault(ReadMixlist, R"({"black-list":{"to-add":[1]}})"), "E20003 black-list.to-add in"));
  CHECK(Has(Fault(ReadMixlist, R"({"black-list":{"to-add":["X"]},"white-list":{"to-add":["X"]}})"), "E20003 X in"));
  CHECK(Has(Fault(ReadMixlist, R"({"black-list":{"to-add":["X"],"to-remove":["X"]}})"), "E20003 X in"));
  CHECK(Has(Fault(ReadMixlist, R"({"white-list":{"to-add":["X"]},"gray-list":{"to-add":["X"]}})"), "E20003 X in"));
  CHECK(Has(Fault(ReadMixlist, R"({"black-list":{"to-add":[""]}})"), "E20003 black-list.to-add in"));
  CHECK(Has(Fault(ReadMixlist, R"({"black-list":{"to-add":["X"]},"black-list":{"to-add":["Y"]}})"), "E20003 black-list in"));
  CHECK(Has(Fault(ReadMixlist, "[1]"), "E21002"));
  CHECK(Has(Fault(ReadMixlist, "{"), "E21002"));
}

TEST_CASE("operators that keep their types, by name and type") {
  const PrecisionOptions options = Read(ReadKeepDtype, "conv1\n\nOpType::Relu\ngraph/OpType::x\n");
  CHECK(options.keep_names == std::set<std::string>{"conv1", "graph/OpType::x"});
  CHECK(options.keep_types == std::set<std::string>{"Relu"});
  CHECK(Has(Fault(ReadKeepDtype, "a\noptype::Relu\n"), "E10003"));
  CHECK(Has(Fault(ReadKeepDtype, "OpType::\n"), "E20003 line 1 in"));
}

TEST_CASE("types of single operators, with places left open") {
  const PrecisionOptions options = Read(ReadCustomDtypes,
                                        "a::b::InputDtype:float16,,float32,OutputDtype:\n"
                                        "OpType::Conv2D:OutputDtype:bf16\n");
  const CustomDtypes& a = options.custom_by_name.at("a::b");
  CHECK(a.inputs == std::vector<DataType>{DT_FLOAT16, DT_UNDEFINED, DT_FLOAT});
  CHECK(a.outputs.empty());
  CHECK(options.custom_by_type.at("Conv2D").outputs == std::vector<DataType>{DT_BF16});
  CHECK(Has(Fault(ReadCustomDtypes, "a:InputDtype:float16\n"), "E20003 line 1 in"));
  CHECK(Has(Fault(ReadCustomDtypes, "a::InputDtype:float17\n"), "'float17' is no type"));
  CHECK(Has(Fault(ReadCustomDtypes, "a::OutputDtype:float16,InputDtype:float16\n"), "E20003 line 1 in"));
  CHECK(Has(Fault(ReadCustomDtypes, "::InputDtype:float16\n"), "E20003 line 1 in"));
  CHECK(Has(Fault(ReadCustomDtypes, "a\n"), "E20003 line 1 in"));
}

TEST_CASE("what a flag names and cannot be read is told") {
  CHECK(Has(Fault([](const std::string& path, PrecisionOptions* options) { ReadKeepDtype(path + "_", options); }, ""),
            "E21001"));
}

TEST_CASE("the types of an implementation mode") {
  const PrecisionOptions options = PrecisionOptionsOf(ParseCommandLine(std::vector<std::string>{
      "--op_select_implmode=high_precision_for_all", "--optypelist_for_implmode=Pooling,SoftmaxV2", "--is_weight_clip=0"}));
  CHECK(options.implmode == "high_precision");
  CHECK(options.implmode_types == std::set<std::string>{"Pooling", "SoftmaxV2"});
  CHECK_FALSE(options.clip_weights);
}

}  // namespace
}  // namespace atc::cli
