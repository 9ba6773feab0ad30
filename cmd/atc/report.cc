#include "cmd/atc/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "compiler/inspect.h"
#include "compiler/io/output_file.h"
#include "compiler/ir/error_catalogue.h"

namespace atc::cli {
namespace {

using Json = nlohmann::ordered_json;

// Names of nodes and files may hold any bytes; what is no UTF-8 is shown as the replacement character.
std::string Dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string Argument(const Diagnostic& diagnostic, std::string_view name) {
  for (const auto& [key, value] : diagnostic.args) {
    if (key == name) return value;
  }
  return "";
}

std::string Text(const Diagnostic& diagnostic) {
  return diagnostic.code == kUsageCode ? Argument(diagnostic, "reason") : MessageText(diagnostic);
}

std::string_view Title(const Diagnostic& diagnostic) {
  const ErrorEntry* entry = FindErrorEntry(diagnostic.code);
  return entry ? entry->title : "Usage";
}

std::string_view Level(const Diagnostic& diagnostic) {
  return diagnostic.severity == Diagnostic::kError ? "error" : "warning";
}

Json TraceOf(const Diagnostic& diagnostic) {
  Json trace = Json::array();  // outermost first, as the text form has it
  for (auto where = diagnostic.context.rbegin(); where != diagnostic.context.rend(); ++where) trace.push_back(*where);
  return trace;
}

std::string FormatJson(const RunOutcome& outcome) {
  Json json = {{"schema", 1},
               {"tool", "atc"},
               {"version", ProgramVersion()},
               {"status", outcome.status == 0 ? "success" : "failed"},
               {"exit_status", outcome.status},
               {"artifact", outcome.artifact}};
  json["diagnostics"] = Json::array();
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    Json arguments = Json::object();
    for (const auto& [name, value] : diagnostic.args) arguments[name] = value;
    const ErrorEntry* entry = FindErrorEntry(diagnostic.code);
    json["diagnostics"].push_back({{"severity", Level(diagnostic)},
                                   {"code", diagnostic.code},
                                   {"title", Title(diagnostic)},
                                   {"message", Text(diagnostic)},
                                   {"cause", entry ? entry->cause : ""},
                                   {"solution", SolutionText(diagnostic)},
                                   {"arguments", std::move(arguments)},
                                   {"trace", TraceOf(diagnostic)}});
  }
  return Dump(json);
}

// A reference to a file by the rules of URIs: everything but the unreserved characters and '/' is escaped.
std::string Uri(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json SarifResult(const Diagnostic& diagnostic, size_t rule, const std::string& artifact) {
  std::string text = Text(diagnostic);
  const std::string solution = SolutionText(diagnostic);
  if (!solution.empty()) text += "\nSolution: " + solution;
  Json result = {
      {"ruleId", diagnostic.code}, {"ruleIndex", rule}, {"level", Level(diagnostic)}, {"message", {{"text", text}}}};
  Json location = Json::object();
  if (!artifact.empty()) location["physicalLocation"] = {{"artifactLocation", {{"uri", Uri(artifact)}}}};
  if (const std::string node = Argument(diagnostic, "opname"); !node.empty()) {
    location["logicalLocations"] = Json::array({{{"name", node}, {"kind", "object"}}});
  }
  if (!location.empty()) result["locations"] = Json::array({location});
  if (!diagnostic.context.empty()) result["properties"] = {{"trace", TraceOf(diagnostic)}};
  return result;
}

std::string FormatSarif(const RunOutcome& outcome) {
  Json rules = Json::array();
  Json results = Json::array();
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    const size_t rule = std::find(codes.begin(), codes.end(), diagnostic.code) - codes.begin();
    if (rule == codes.size()) {
      codes.push_back(diagnostic.code);
      Json description = {{"id", diagnostic.code}, {"name", Title(diagnostic)}};
      if (const ErrorEntry* entry = FindErrorEntry(diagnostic.code)) {
        description["shortDescription"] = {{"text", entry->text}};
        if (!entry->solution.empty()) description["help"] = {{"text", entry->solution}};
      }
      rules.push_back(std::move(description));
    }
    results.push_back(SarifResult(diagnostic, rule, outcome.artifact));
  }
  const Json driver = {{"name", "atc"}, {"version", ProgramVersion()}, {"rules", std::move(rules)}};
  const Json invocation = {{"executionSuccessful", outcome.status == 0}, {"exitCode", outcome.status}};
  const Json run = {
      {"tool", {{"driver", driver}}}, {"invocations", Json::array({invocation})}, {"results", std::move(results)}};
  return Dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Json::array({run})}});
}

// The escapes of workflow commands; properties have two more.
std::string Escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string FormatGithub(const RunOutcome& outcome) {
  std::string out;
  for (const Diagnostic& diagnostic : outcome.diagnostics) {
    std::string text = Text(diagnostic);
    const std::string solution = SolutionText(diagnostic);
    if (!solution.empty()) text += "\nSolution: " + solution;
    const std::string title = fmt::format("{} {}", diagnostic.code, Title(diagnostic));
    out += fmt::format("::{} ", Level(diagnostic));
    if (!outcome.artifact.empty()) out += fmt::format("file={},", Escaped(outcome.artifact, true));
    out += fmt::format("title={}::{}\n", Escaped(title, true), Escaped(text, false));
  }
  return out;
}

struct FormRow {
  std::string_view word;
  ReportForm form;
  std::string (*format)(const RunOutcome&);
};
constexpr FormRow kForms[] = {
    {"json", ReportForm::kJson, FormatJson},
    {"sarif", ReportForm::kSarif, FormatSarif},
    {"github", ReportForm::kGithub, FormatGithub},
};

}  // namespace

std::optional<ReportRequest> ParseReportRequest(std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  for (const FormRow& row : kForms) {
    if (row.word != text.substr(0, colon)) continue;
    if (colon + 1 == text.size()) return std::nullopt;  // a ':' without a file
    return ReportRequest{row.form, std::string(text.substr(std::min(colon + 1, text.size())))};
  }
  return std::nullopt;
}

std::string FormatReport(ReportForm form, const RunOutcome& outcome) {
  for (const FormRow& row : kForms) {
    if (row.form == form) return row.format(outcome);
  }
  return "";
}

void CheckReport(const ReportRequest& request) {
  if (request.path.empty()) return;
  MakeParentFolders(request.path);
  const OutputFile probe(request.path);  // leaves nothing behind
}

void WriteReport(const ReportRequest& request, const RunOutcome& outcome) {
  const std::string text = FormatReport(request.form, outcome);
  if (request.path.empty()) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    return;
  }
  MakeParentFolders(request.path);
  OutputFile file(request.path);
  file.Write(text);
  file.Commit();
}

}  // namespace atc::cli
