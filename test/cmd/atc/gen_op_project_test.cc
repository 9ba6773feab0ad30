// What --gen_op_project refuses: names that would give code which does not compile, or an operator that is here already.
#include <catch2/catch.hpp>

#include "cmd/atc/op_names.h"
#include "test/cmd/atc/run_atc.h"

namespace atc::cli {
namespace {

std::string Description(const std::string& type, const std::string& input, const std::string& output = "z", const std::string& attrs = "") {
  return R"({"op": ")" + type + R"(", "input_desc": [{"name": ")" + input + R"("}], "output_desc": [{"name": ")" + output + R"("}], "attr": [)" + attrs + "]}";
}

struct Case {
  std::string text;
  const char* reason;
};

TEST_CASE("gen_op_project: names that do not compile are refused with their reason") {
  const std::string dynamic = R"({"op": "Warp", "input_desc": [{"name": "xsNum"}, {"name": "xs", "param_type": "dynamic"}], "output_desc": [{"name": "z"}]})";
  const auto onnx = [](const std::string& names) {
    return R"({"op": "Warp", "input_desc": [], "output_desc": [{"name": "z"}], "onnx": {)" + names + "}}";
  };
  const Case cases[] = {
      {Description("Warp", "class"), "the name 'class' is a keyword"},
      {Description("Warp", "x", "restrict"), "the name 'restrict' is a keyword"},
      {Description("Warp", "x", "z", R"({"name": "and", "type": "int"})"), "the name 'and' is a keyword"},
      {Description("Warp", "executor"), "the name 'executor' is a name that the generated functions use"},
      {Description("Warp", "workspace"), "the name 'workspace' is"},
      {Description("Warp", "x", "workspaceSize"), "the name 'workspaceSize' is"},
      {Description("Warp", "NULL"), "the name 'NULL' is a macro"},
      {Description("Warp", "linux"), "the name 'linux' is a macro"},
      {Description("Warp", "INT32_MAX"), "the name 'INT32_MAX' is a macro"},
      {Description("Warp", "aclTensor"), "the name 'aclTensor' begins with 'acl'"},
      {Description("Warp", "x", "x"), "the name 'x' is given twice"},
      {dynamic, "the name 'xsNum' is the number of elements of 'xs' too"},
      {Description("Warp", "padsSize", "z", R"({"name": "pads", "type": "list_int"})"), "'padsSize' is the number of elements of 'pads'"},
      {Description("Warp", "x", "z", R"({"name": "pads", "type": "list_int"}, {"name": "padsSize", "type": "int"})"), "'padsSize' is the number of elements of 'pads'"},
      {Description("Add", "x"), "the name 'Add' is an operator that is here already"},
      {Description("Init", "x"), "aclnnInit, which ACL has"},
      {Description("2D", "x"), "a name begins with a letter"},
      {onnx(R"("domain": "a\"b")"), "'domain' of 'onnx' is \"a\\\"b\""},
      {onnx(R"("type": 7)"), "'type' is absent or no text"},
      {onnx(R"("version": 0)"), "'version' of 'onnx' is 0"},
      {onnx(R"("version": "1")"), "'version' of 'onnx' is \"1\""},
  };
  const TestFolder folder;
  for (const Case& each : cases) {
    INFO(each.text);
    const Result result = RunAtc({"--gen_op_project=" + folder.File("op.json", each.text), "--output=" + folder.path + "/project"});
    INFO(result.out + result.err);
    CHECK(result.status == 255);
    CHECK((result.out + result.err).find("E10001") != std::string::npos);
    CHECK((result.out + result.err).find(each.reason) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path + "/project"));
  }
}

TEST_CASE("gen_op_project: names that only look like those of the generated code are taken") {
  for (const char* name : {"inputs", "outputs", "size", "stream", "status", "attr", "std", "x", "X", "MakeTensor", "Check", "main", "K_MAXIMUM", "k_max"}) {
    INFO(name);
    CHECK(FaultOfParameterName(name).empty());
  }
  for (const char* name : {"AddCustom", "Test", "AclMeta", "CustOpapi", "class"}) {
    INFO(name);
    CHECK(FaultOfOperatorName(name).empty());
  }
}

}  // namespace
}  // namespace atc::cli
