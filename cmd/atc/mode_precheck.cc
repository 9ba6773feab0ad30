// --mode=3: checks a model without converting it, and writes what it found to check_result.json.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cmd/atc/run.h"
#include "cmd/atc/validate.h"
#include "compiler/io/output_file.h"
#include "compiler/pipeline.h"
#include "parsers/precheck.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {
namespace {

struct CauseText {
  PrecheckReport::Cause cause;
  const char* message;
};
constexpr CauseText kCauses[] = {{PrecheckReport::kTypeUnsupported, "The type is not supported."},
                                 {PrecheckReport::kNameRepeated, "The name is repeated in the graph."}};

nlohmann::ordered_json ToJson(const PrecheckReport::Operator& op) {
  nlohmann::ordered_json json = {
      {"name", op.name}, {"type", op.type}, {"result", op.causes.empty() ? "success" : "failed"}};
  for (const PrecheckReport::Cause cause : op.causes) {
    for (const CauseText& text : kCauses) {
      if (text.cause == cause) json["cause"].push_back({{"code", static_cast<int>(cause)}, {"message", text.message}});
    }
  }
  return json;
}

std::string ToText(const PrecheckReport& report) {
  const size_t failed = report.CountFailed();
  nlohmann::ordered_json json = {{"name", report.graph},
                                 {"result", failed == 0 ? "success" : "failed"},
                                 {"total", report.operators.size()},
                                 {"pass", report.operators.size() - failed},
                                 {"fail", failed},
                                 {"op", nlohmann::ordered_json::array()}};
  for (const PrecheckReport::Operator& op : report.operators) json["op"].push_back(ToJson(op));
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// --check_report, else check_result.json in $ASCEND_WORK_PATH, else in the working folder.
std::string ReportPath(const FlagValues& flags) {
  const std::string name = flags.Get("check_report");
  const char* root = std::getenv("ASCEND_WORK_PATH");
  if (flags.IsSet("check_report") || root == nullptr || *root == '\0') return name;
  return std::string(root) + "/" + name;
}

}  // namespace

void Precheck(Run& run) {
  const PrecheckRequest request = CheckPrecheck(run.flags);
  CheckSocVersion(run.flags.Get("soc_version"));
  run.Step("check the model");
  LoadCustomOperators();  // operators that plugins bring can be converted too
  const PrecheckReport report = (request.tensorflow ? PrecheckTensorFlow : PrecheckOnnx)(request.model);
  const std::string path = ReportPath(run.flags);
  MakeParentFolders(path);
  OutputFile file(path);
  file.Write(ToText(report));
  file.Commit();
  const size_t failed = report.CountFailed();
  if (failed == 0) return;
  const std::string cure =
      fmt::format("{} of {} operators keep the model from conversion; {} names them.", failed, report.operators.size(), path);
  for (const PrecheckReport::Operator& op : report.operators) {
    if (op.causes.empty()) continue;
    if (op.causes[0] == PrecheckReport::kTypeUnsupported) {
      throw Error("E13010", {{"opname", op.name}, {"optype", op.type}}, cure);
    }
    throw Error("E13009", {{"opname", op.name}}, cure);
  }
}

}  // namespace atc::cli
