// --explain and --version, as programs and people read them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cmd/atc/old_codes.h"
#include "compiler/ir/error_catalogue.h"
#include "test/cmd/atc/run_atc.h"

namespace atc::cli {
namespace {

TEST_CASE("old codes lead to codes of the catalogue") {
  std::string_view last;
  for (const OldCode& old : OldCodes()) {
    INFO(old.code);
    CHECK(last < old.code);
    last = old.code;
    CHECK(FindErrorEntry(old.now) != nullptr);
    CHECK(FindErrorEntry(old.code) == nullptr);
  }
  CHECK(FindOldCode("E19010")->now == "E16002");
  CHECK(FindOldCode("E10001") == nullptr);
}

TEST_CASE("explain prints cause and cure, and nothing of a conversion") {
  const std::string known =
      "E10016 Invalid_Argument_Operator_Name\n\n"
      "    --<parameter> names '<opname>', which the model does not have.\n\n"
      "cause: The name is misspelt, or several names are not separated by ';'.\n"
      "cure:  Use the name as the model spells it; a viewer such as Netron shows it.\n";
  for (const std::string code : {"E10016", "e10016", "10016"}) {
    const Result result = RunAtc({"--explain", code});
    CHECK(result.status == 0);
    CHECK(result.out == known);
    CHECK(result.err.empty());
  }
  const Result old = RunAtc({"--explain=E19010"});
  CHECK(old.out.find("E19010 is a code of older versions: an operator without parser. Now it is E16002.\n\nE16002 ") ==
        0);
}

TEST_CASE("every code has a cause and a cure, which say more than each other") {
  for (const ErrorEntry& entry : ErrorCatalogue()) {
    INFO(entry.code);
    CHECK_FALSE(entry.cause.empty());
    CHECK_FALSE(entry.solution.empty());
    CHECK(entry.cause.ends_with('.'));
    CHECK(entry.solution.ends_with('.'));
    CHECK(entry.cause != entry.solution);
    CHECK(RunAtc({"--explain", std::string(entry.code)}).out.find("\ncause: ") != std::string::npos);
  }
}

TEST_CASE("explain alone lists every code once") {
  const Result all = RunAtc({"--explain"});
  CHECK(all.status == 0);
  for (const ErrorEntry& entry : ErrorCatalogue()) {
    INFO(entry.code);
    CHECK(("\n" + all.out).find("\n" + std::string(entry.code) + "  ") != std::string::npos);
  }
  const auto json = nlohmann::json::parse(RunAtc({"--explain", "--json"}).out);
  CHECK(json.size() == ErrorCatalogue().size() + OldCodes().size());
  CHECK(nlohmann::json::parse(RunAtc({"--json", "--explain=E19014"}).out)["formerly"] == "E19014");
}

TEST_CASE("a code that is none") {
  const Result result = RunAtc({"--explain=E10099"});
  CHECK(result.status == 255);
  CHECK(result.out.empty());
  CHECK(result.err.find("(E10001): --explain cannot be 'E10099'. No message has that code.\n"
                        "        Solution: Did you mean 'E10009'") != std::string::npos);
}

TEST_CASE("version: one program's text, another's JSON") {
  const Result text = RunAtc({"--version"});
  CHECK(text.status == 0);
  CHECK(text.out.find("atc ") == 0);
  for (const char* part : {"ai.onnx versions 1 to ", "Ascend910B3", "protobuf "}) {
    INFO(part);
    CHECK(text.out.find(part) != std::string::npos);
  }
  const auto json = nlohmann::json::parse(RunAtc({"--version", "--json"}).out);
  CHECK(json["program"] == "atc");
  CHECK(json["onnx"]["ir_versions"]["newest"].get<int>() >= 8);
  CHECK(json["onnx"]["opsets"][0]["domain"] == "ai.onnx");
  CHECK(json["onnx"]["opsets"][0]["newest"].get<int>() >= 17);
  CHECK(json["socs"].size() > 20);
  CHECK(json["libraries"].contains("protobuf"));
  CHECK(RunAtc({"--version=no", "--mode=9"}).status == 255);
}

}  // namespace
}  // namespace atc::cli
