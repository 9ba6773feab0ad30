#include "cmd/atc/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/atc/document.h"
#include "cmd/atc/environment.h"
#include "cmd/atc/flag_table.h"
#include "cmd/atc/text.h"

namespace atc::cli {
namespace {

constexpr size_t kColumn = 24;  // where descriptions begin
constexpr size_t kWidth = 118;

constexpr std::string_view kIntroduction =
    R"(usage: atc <args>

generate offline model example:
  atc --model=rec.onnx --framework=5 --soc_version=Ascend910B3 --output=out/rec --input_shape="x:1,3,48,320"
      reads rec.onnx, fixes the shape of its input x, and writes out/rec.om
  atc --model=rec.onnx --framework=5 --soc_version=Ascend910B3 --output=rec --input_shape="x:1~8,3,48,-1"
      the same with a batch of 1 to 8 and any width
generate offline model for single op example:
  atc --singleop=ops.json --output=ops --soc_version=Ascend910B3
      writes an om for each operator that ops.json describes
look into a model example:
  atc --mode=6 --om=out/rec.om
  atc --mode=1 --om=out/rec.om --json=rec.json

Flags are written --flag=value or --flag value; -flag and --flag-name do as well, and so does a prefix that only one
flag has. Of two values for one flag the last counts. Values that hold ';' or blanks need quotation marks.
The exit status is 0, or 255 after a failure; the failure text names an error code and what to do. --diff and --bisect
have others for what they find.
)";

struct Section {
  Group group;
  std::string_view title;
};
constexpr Section kBasic[] = {{Group::kGeneral, "[General]"},
                              {Group::kInput, "[Input]"},
                              {Group::kOutput, "[Output]"},
                              {Group::kTarget, "[Target]"}};
constexpr Section kAdvanced[] = {{Group::kFeature, "[Feature]"},
                                 {Group::kModelTuning, "[Model Tuning]"},
                                 {Group::kOperatorTuning, "[Operator Tuning]"},
                                 {Group::kDebug, "[Debug]"}};

// Legal values and default as one line, wrapped; empty where the help says all.
std::vector<std::string> ValueLines(const Flag& flag) {
  std::string text;
  if (!flag.values.empty()) text = fmt::format("{}", fmt::join(Words(flag.values), ", "));
  if (!flag.fallback.empty() && !IsSwitch(flag)) {
    text += fmt::format("{}default: {}", text.empty() ? "" : "; ", flag.fallback);
  }
  std::vector<std::string> lines;
  while (kColumn + text.size() > kWidth) {
    const size_t blank = text.rfind(' ', kWidth - kColumn);
    lines.push_back(text.substr(0, blank));
    text.erase(0, blank + 1);
  }
  if (!text.empty()) lines.push_back(text);
  return lines;
}

std::string Entry(const Flag& flag) {
  std::vector<std::string> lines;
  for (std::string_view line : Split(flag.help, '\n')) lines.emplace_back(line);
  if (flag.effect == Effect::kRefused) lines.push_back("(not available in this version)");
  if (flag.effect == Effect::kNone) lines.push_back("(accepted without effect)");
  for (std::string& line : ValueLines(flag)) lines.push_back(std::move(line));

  const std::string name = flag.name == "help" ? "--h/help" : fmt::format("--{}", flag.name);
  std::string out;
  // A name that reaches the column of the descriptions has a line of its own.
  if (name.size() + 4 > kColumn) {
    out = fmt::format("  {}\n", name);
  } else {
    out = fmt::format("  {:<{}}{}\n", name, kColumn - 2, lines[0]);
    lines.erase(lines.begin());
  }
  for (const std::string& line : lines) out += fmt::format("{:{}}{}\n", "", kColumn, line);
  return out;
}

void AddSections(std::span<const Section> sections, std::string* out) {
  for (const Section& section : sections) {
    *out += fmt::format("\n{}\n", section.title);
    for (const Flag& flag : FlagTable()) {
      if (flag.group == section.group) *out += Entry(flag);
    }
  }
}

std::string EnvironmentSection() {
  std::string out = "\n===== Environment =====\n";
  for (const EnvironmentVariable& variable : EnvironmentVariables()) {
    if (!variable.used) continue;
    std::string name(variable.name);
    for (std::string_view line : Split(variable.help, '\n')) {
      // A name that reaches the column of the descriptions has a line of its own.
      if (name.size() + 4 > kColumn) {
        out += fmt::format("  {}\n", name);
        name.clear();
      }
      out += fmt::format("  {:<{}}{}\n", name, kColumn - 2, line);
      name.clear();
    }
  }
  return out;
}

}  // namespace

std::string HelpText(const Flag& flag) {
  std::string out = Entry(flag);
  out += '\n';
  for (const std::string& note : FlagNotes(flag)) out += fmt::format("  {}\n", note);
  if (!flag.example.empty()) out += fmt::format("  Example: atc ... {}\n", flag.example);
  return out;
}

std::string HelpText() {
  std::string out(kIntroduction);
  out += "\n===== Basic Functionality =====\n";
  AddSections(kBasic, &out);
  out += "\n===== Advanced Functionality =====\n";
  AddSections(kAdvanced, &out);
  out += EnvironmentSection();
  return out;
}

}  // namespace atc::cli
