// --version: what this program is, and what it reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cmd/atc/console.h"
#include "cmd/atc/run.h"
#include "compiler/inspect.h"
#include "parsers/onnx/versions.h"

namespace atc::cli {
namespace {

std::string Json() {
  nlohmann::ordered_json json = {{"program", "atc"}, {"project", "OpenATC"}, {"version", ProgramVersion()}};
  auto& onnx = json["onnx"];
  onnx["ir_versions"] = {{"oldest", 1}, {"newest", kNewestIrVersion}};
  for (const OpsetSupport& opset : OnnxOpsets()) {
    onnx["opsets"].push_back(nlohmann::ordered_json{
        {"domain", opset.domain}, {"oldest", 1}, {"newest", opset.newest}, {"operators", opset.operators}});
  }
  json["socs"] = SocNames();
  for (const auto& [name, version] : LibraryVersions()) json["libraries"][name] = version;
  return json.dump(2) + "\n";
}

std::string Text() {
  std::string out = fmt::format("atc {} (OpenATC)\n", ProgramVersion());
  out += fmt::format("onnx       IR versions 1 to {}\n", kNewestIrVersion);
  for (const OpsetSupport& opset : OnnxOpsets()) {
    out += fmt::format("           {} versions 1 to {}, {} operator{}\n", opset.domain, opset.newest, opset.operators,
                       opset.operators == 1 ? "" : "s");
  }
  const std::vector<std::string_view> chips = SocNames();
  constexpr size_t kInLine = 6;
  for (size_t i = 0; i < chips.size(); i += kInLine) {
    const auto line = std::span(chips).subspan(i, std::min(kInLine, chips.size() - i));
    out += fmt::format("{:<11}{}\n", i == 0 ? "chips" : "", fmt::join(line, ", "));
  }
  std::vector<std::string> libraries;
  for (const auto& [name, version] : LibraryVersions()) libraries.push_back(name + " " + version);
  return out + fmt::format("libraries  {}\n", fmt::join(libraries, ", "));
}

}  // namespace

void PrintVersion(Run& run) {
  run.flags.Given("json") ? GiveJson(run, Json()) : run.console.Print(Text());
}

}  // namespace atc::cli
