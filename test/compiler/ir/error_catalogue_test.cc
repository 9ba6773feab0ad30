#include "compiler/ir/error_catalogue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "compiler/ir/error_block.h"
#include "compiler/ir/unsupported_operators.h"

namespace atc {
namespace {

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  std::istringstream in{std::string(text)};
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

TEST_CASE("the catalogue is sorted, and a text uses only arguments that its entry names") {
  std::string_view last;
  for (const ErrorEntry& entry : ErrorCatalogue()) {
    INFO(entry.code);
    CHECK(last < entry.code);
    last = entry.code;
    CHECK(entry.code.size() == 6);
    CHECK_FALSE(entry.title.empty());
    Diagnostic all;
    all.code = std::string(entry.code);
    for (const std::string& name : Split(entry.args)) all.args.push_back({name, "value"});
    CHECK(MessageText(all).find('?') == std::string::npos);
    const std::string text = MessageText(all);
    CHECK(std::count(text.begin(), text.end(), '(') == std::count(entry.text.begin(), entry.text.end(), '('));
    CHECK(SolutionText(all).find('?') == std::string::npos);
  }
}

TEST_CASE("argument names and titles are those of the published table") {
  const std::set<std::vector<std::string>> expected = {
      {"E10001", "Invalid_Argument", "value,parameter,reason"},
      {"E10002", "Invalid_Argument_Tensor_Input_Shape", "shape,reason,sample"},
      {"E10011", "Invalid_Argument_Tensor_Input_Shape", "shape,result"},
      {"E10016", "Invalid_Argument_Operator_Name", "opname,parameter"},
      {"E10048", "Invalid_Argument", "shape_range,reason,sample"},
      {"E10049", "Invalid_Argument_Tensor_Input_Shape", "shape_range_size,cur_dim_size"},
      {"E10050", "Invalid_Argument_Tensor_Input_Shape_Range", "cur_dim,shape_range_left,shape_range_right"},
      {"E10054", "Invalid_Argument", "parameter"},
      {"E10055", "Not_Supported", "reason"},
      {"E10056", "Invalid_Argument", "parameter1,parameter2"},
      {"E10410", "File_Operation_Error_File_Not_Exist", "cfgpath"},
      {"E13001", "File_Operation_Error_Open", "file,errmsg"},
      {"E13015", "File_Operation_Error_Invalid_File_Size", "file,size,maxsize"},
      {"E16001", "Invalid_Argument_ONNX_Model_Data", "value"},
      {"E16002", "Invalid_Argument_ONNX_Model_Data", "optype"},
      {"E16005", "Invalid_Argument_ONNX_Model_Data", "domain_version_size"},
      {"E20101", "Invalid_Argument", "value,parameter,reason"},
  };
  for (const auto& row : expected) {
    INFO(row[0]);
    const ErrorEntry* entry = FindErrorEntry(row[0]);
    REQUIRE(entry);
    CHECK(entry->title == row[1]);
    CHECK(entry->args == row[2]);
  }
  CHECK(FindErrorEntry("E00000") == nullptr);
}

TEST_CASE("a message keeps every argument, and a sentence ends once") {
  const Error error("E10055", {{"reason", "not today."}, {"node", "conv{1}"}});
  CHECK(MessageText(error.diagnostic()) == "Not supported: not today. (node: conv{1})");
  CHECK(MessageText(Error("E10004", {{"parameter", "om"}, {"reason", "why"}}).diagnostic()) == "--om is empty: why.");
  CHECK(MessageText(Error("E10004", {}).diagnostic()) == "--? is empty.");
  CHECK(MessageText(Error("X12345", {{"a", "b"}}).diagnostic()) == "(a: b)");
}

TEST_CASE("the error block has head, cause, solution and the chain from the outermost to the innermost place") {
  setenv("TZ", "UTC", 1);
  tzset();
  // 2026-01-31 10:20:30.123456 UTC
  const MessageStamp stamp{4711, std::chrono::system_clock::time_point(std::chrono::microseconds(1769854830123456))};
  Error error("E10054", {{"parameter", "--model"}});
  error.At("node 'conv1' (Conv)").At("file m.onnx");
  const std::string block = ErrorBlock(error.diagnostic(), stamp);
  std::istringstream in(block);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0] ==
        "[PID: 4711] 2026-01-31-10:20:30.123.456 Invalid_Argument(E10054): --model is required and missing.");
  CHECK(lines[1].find("        Possible Cause: ") == 0);
  CHECK(lines[2].find("        Solution: ") == 0);
  CHECK(lines[3] == "        TraceBack (most recent call last):");
  CHECK(lines[4] == "        file m.onnx");
  CHECK(lines[5] == "        node 'conv1' (Conv)");

  const std::string inner = ErrorBlock(Error::Internal("two nodes, one name").diagnostic(), stamp);
  CHECK(inner.find("E19999: Internal error!\nE19999[PID: 4711] ") == 0);
  CHECK(inner.find("(E19999): two nodes, one name\n") != std::string::npos);

  Diagnostics warnings;
  warnings.Warn("W19999", {{"reason", "a hint"}});
  CHECK(ErrorBlock(warnings.all()[0], stamp).find("[PID: 4711] ") == 0);  // a hint is no internal error
}

TEST_CASE("warnings and errors are printed apart") {
  Diagnostics sink;
  sink.Warn("W11001", {{"opname", "a"}});
  sink.Add(Error("E10004", {{"parameter", "om"}}).diagnostic());
  const MessageStamp stamp{1, {}};
  CHECK(ErrorBlocks(sink.all(), Diagnostic::kWarning, stamp).find("(W11001): ") != std::string::npos);
  CHECK(ErrorBlocks(sink.all(), Diagnostic::kWarning, stamp).find("E10004") == std::string::npos);
  CHECK(ErrorBlocks(sink.all(), Diagnostic::kError, stamp).find("(E10004): --om is empty.") != std::string::npos);
}

TEST_CASE("unsupported operators are one report, sorted, with counts and the first node") {
  UnsupportedOperators found;
  CHECK(found.empty());
  found.Add("", 17, "Foo", "n1");
  CHECK(MessageText(found.ToError().diagnostic()) ==
        "No ONNX parser is registered for: ai.onnx::17::Foo (1 node, 'n1')");
  found.Add("com.microsoft", 1, "Bar", "n2");
  found.Add("ai.onnx", 17, "Foo", "n3");
  CHECK(MessageText(found.ToError().diagnostic()) ==
        "No ONNX parser is registered for: 2 operator types in 3 nodes\n"
        "ai.onnx::17::Foo (2 nodes, first 'n1')\n"
        "com.microsoft::1::Bar (1 node, 'n2')");
}

}  // namespace
}  // namespace atc
