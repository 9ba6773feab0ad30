#include "cmd/atc/report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace atc::cli {
namespace {

RunOutcome Failed() {
  Error error("E10016", {{"opname", "imput"}, {"parameter", "input_shape"}}, "Did you mean 'input'?");
  error.At("file 'a b/m.onnx'");
  Diagnostic warning{Diagnostic::kWarning, "W10001", {{"parameter", "--sparsity=1"}, {"reason", "So."}}, {}, {}};
  return {{error.diagnostic(), warning}, "a b/m.onnx", 255};
}

TEST_CASE("the variable names a form, and perhaps a file") {
  CHECK(ParseReportRequest("json")->form == ReportForm::kJson);
  CHECK(ParseReportRequest("sarif:out/x.sarif")->path == "out/x.sarif");
  CHECK(ParseReportRequest("github")->path.empty());
  for (const char* wrong : {"", "xml", "JSON", "json:", "jsonx", ":x"}) {
    INFO(wrong);
    CHECK_FALSE(ParseReportRequest(wrong));
  }
}

TEST_CASE("JSON holds all that the text form holds") {
  const auto json = nlohmann::json::parse(FormatReport(ReportForm::kJson, Failed()));
  CHECK(json["schema"] == 1);
  CHECK(json["status"] == "failed");
  CHECK(json["exit_status"] == 255);
  REQUIRE(json["diagnostics"].size() == 2);
  const auto& error = json["diagnostics"][0];
  CHECK(error["severity"] == "error");
  CHECK(error["code"] == "E10016");
  CHECK(error["title"] == "Invalid_Argument_Operator_Name");
  CHECK(error["message"] == "--input_shape names 'imput', which the model does not have.");
  CHECK(error["solution"] == "Did you mean 'input'?");
  CHECK(error["arguments"]["opname"] == "imput");
  CHECK(error["trace"] == nlohmann::json({"file 'a b/m.onnx'"}));
  CHECK(json["diagnostics"][1]["severity"] == "warning");

  const auto good = nlohmann::json::parse(FormatReport(ReportForm::kJson, RunOutcome{}));
  CHECK(good["status"] == "success");
  CHECK(good["diagnostics"].empty());
}

// What the standard requires of each object that is written here (SARIF 2.1.0, sections 3.13 to 3.27).
TEST_CASE("SARIF: versions, rules, results and places") {
  const auto log = nlohmann::json::parse(FormatReport(ReportForm::kSarif, Failed()));
  CHECK(log["version"] == "2.1.0");
  REQUIRE(log["runs"].size() == 1);
  const auto& run = log["runs"][0];
  CHECK(run["tool"]["driver"]["name"] == "atc");
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["invocations"][0]["exitCode"] == 255);
  const auto& rules = run["tool"]["driver"]["rules"];
  REQUIRE(run["results"].size() == 2);
  for (const auto& result : run["results"]) {
    CHECK(rules.at(result["ruleIndex"].get<size_t>())["id"] == result["ruleId"]);
    CHECK((result["level"] == "error" || result["level"] == "warning"));
    CHECK_FALSE(result["message"]["text"].get<std::string>().empty());
    CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/m.onnx");
  }
  CHECK(run["results"][0]["locations"][0]["logicalLocations"][0]["name"] == "imput");
  CHECK(nlohmann::json::parse(FormatReport(ReportForm::kSarif, RunOutcome{}))["runs"][0]["results"].empty());
}

TEST_CASE("GitHub: one line a message, with its escapes") {
  CHECK(FormatReport(ReportForm::kGithub, Failed()) ==
        "::error file=a b/m.onnx,title=E10016 Invalid_Argument_Operator_Name::--input_shape names 'imput', which the "
        "model does not have.%0ASolution: Did you mean 'input'?\n"
        "::warning file=a b/m.onnx,title=W10001 Ignored_Argument::No effect: --sparsity=1. So.%0ASolution: Leave it "
        "out, or correct a misspelt name, to be rid of this warning.\n");
  Diagnostic odd{Diagnostic::kError, "E19999", {{"reason", "100%\r\nno"}}, {}, {}};
  CHECK(FormatReport(ReportForm::kGithub, {{odd}, "c:d,e", 255}) ==
        "::error file=c%3Ad%2Ce,title=E19999 Inner_Error::100%25%0D%0Ano%0ASolution: Try again with free "
        "memory; where it comes back, report the command line and the model.\n");
  CHECK(FormatReport(ReportForm::kGithub, RunOutcome{}).empty());
}

TEST_CASE("names that are no UTF-8 do not break a report") {
  Diagnostic odd{Diagnostic::kError, "E19999", {{"reason", "a\xff\xfe"}}, {}, {}};
  CHECK(nlohmann::json::parse(FormatReport(ReportForm::kJson, {{odd}, "", 255}))["diagnostics"].size() == 1);
}

}  // namespace
}  // namespace atc::cli
