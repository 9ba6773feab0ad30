#include "cmd/atc/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cmd/atc/environment.h"
#include "cmd/atc/relations.h"
#include "cmd/atc/text.h"
#include "compiler/inspect.h"

namespace atc::cli {
namespace {

constexpr std::pair<Group, std::string_view> kGroups[] = {
    {Group::kGeneral, "General"},
    {Group::kInput, "Input"},
    {Group::kOutput, "Output"},
    {Group::kTarget, "Target"},
    {Group::kFeature, "Feature"},
    {Group::kModelTuning, "Model tuning"},
    {Group::kOperatorTuning, "Operator tuning"},
    {Group::kDebug, "Debug"},
};

constexpr std::pair<Effect, std::string_view> kEffects[] = {
    {Effect::kHolds, "Here it is always so."},
    {Effect::kNone, "Accepted without effect; another value than the default gives the warning W10001."},
    {Effect::kRefused, "Not available in this version; another value than the default gives E10055."},
};

constexpr std::pair<unsigned, std::string_view> kModes[] = {
    {kConvert, "conversions"}, {kToJson, "JSON (--mode=1, 5)"}, {kDisplay, "display (--mode=6)"}};

// The help's lines; one that is broken within a sentence, for the terminal, is joined with the next.
std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string_view line : Split(text, '\n')) {
    if (lines.empty() || lines.back().ends_with('.')) {
      lines.emplace_back(line);
    } else {
      lines.back().append(" ").append(line);
    }
  }
  return lines;
}

docs::Flag ToDocument(const Flag& flag) {
  docs::Flag out;
  out.name = flag.name;
  out.help = Lines(flag.help);
  out.notes = FlagNotes(flag);
  out.example = flag.example;
  if (IsSwitch(flag)) {
    out.value = docs::Value::kNone;
    return out;
  }
  out.value = flag.bare ? docs::Value::kOptional : docs::Value::kNeeded;
  out.fallback = flag.fallback;
  for (std::string_view word : Words(flag.values)) out.words.emplace_back(word);
  if (flag.name == "soc_version") {
    for (std::string_view chip : SocNames()) out.words.emplace_back(chip);
  }
  out.offer = !out.words.empty()           ? docs::Offer::kWords
              : flag.rule == Rule::kFolder ? docs::Offer::kFolders
              : IsPath(flag)               ? docs::Offer::kFiles
                                           : docs::Offer::kNothing;
  out.meta = !out.words.empty() ? "WORD" : flag.rule == Rule::kFolder ? "PATH" : IsPath(flag) ? "FILE" : "TEXT";
  return out;
}

}  // namespace

std::vector<std::string> FlagNotes(const Flag& flag) {
  std::vector<std::string> notes;
  for (const auto& [effect, text] : kEffects) {
    if (effect == flag.effect) notes.emplace_back(text);
  }
  std::vector<std::string_view> modes;
  for (const auto& [mode, name] : kModes) {
    if (flag.modes & mode) modes.push_back(name);
  }
  if (flag.modes != kEvery) notes.push_back(fmt::format("Used with {}.", fmt::join(modes, ", ")));
  for (const Relation& relation : Relations()) {
    const auto flags = Words(relation.flags);
    if (std::find(flags.begin(), flags.end(), flag.name) == flags.end()) continue;
    notes.push_back(fmt::format("{} ({})", relation.rule, relation.code));
  }
  if (!flag.ge_option.empty()) notes.push_back(fmt::format("GE option: {}.", flag.ge_option));
  if (flag.own) notes.push_back("The vendor's tool has no such flag; its name cannot be shortened.");
  return notes;
}

docs::Program AtcDocument() {
  docs::Program program;
  program.name = "atc";
  program.version = ProgramVersion();
  program.tagline = "convert models to om files";
  program.synopsis = {
      "atc --model=FILE --framework=5 --soc_version=CHIP --output=NAME [flags]",
      "atc --mode=1 --om=FILE --json=FILE [--framework=5]",
      "atc --mode=6 --om=FILE",
      "atc --summary --model=FILE [--json]",
      "atc --list_ops [PATTERN]",
      "atc --diff A B",
      "atc --explain CODE",
      "atc --help [FLAG]",
  };
  program.description = {
      "Converts a model into an om for an Ascend chip, with the command line of Huawei's atc. Needs no CANN and no "
      "NPU.",
      "Flags are written --flag=value or --flag value; -flag and --flag-name do as well, and so does a prefix that "
      "only "
      "one flag has. Of two values for one flag the last counts. Values that hold ';' or blanks need quotation marks.",
      "Nothing is written but the om and what flags or variables ask for. On a terminal a line tells of progress; in a "
      "pipe there is none.",
  };
  program.help_topics = true;
  for (const auto& [group, title] : kGroups) {
    docs::Group& out = program.groups.emplace_back();
    out.title = title;
    for (const Flag& flag : FlagTable()) {
      if (flag.group == group) out.flags.push_back(ToDocument(flag));
    }
  }
  for (const EnvironmentVariable& variable : EnvironmentVariables()) {
    docs::Variable& out = program.variables.emplace_back();
    out.name = variable.name;
    out.values = fmt::format("{}", fmt::join(Words(variable.values), ", "));
    out.help = Lines(variable.help);
    if (!variable.used) out.help.push_back("(accepted without effect)");
  }
  program.exits = {
      {0, "All went well; also after --help, --version and --explain."},
      {1, "--bisect found a rewrite that changes an output, or --diff a difference."},
      {2, "--diff could not read a file."},
      {255,
       "It failed, or was interrupted: a message with a code says why (atc --explain CODE). No om is left behind, but those of "
       "operators of --singleop that were converted."},
  };
  program.examples = {
      {"atc --model=rec.onnx --framework=5 --soc_version=Ascend910B3 --output=out/rec --input_shape=\"x:1,3,48,320\"",
       "Read rec.onnx, fix the shape of its input x, write out/rec.om"},
      {"atc --model=rec.onnx --framework=5 --soc_version=Ascend910B3 --output=rec --input_shape=\"x:1~8,3,48,-1\"",
       "The same with a batch of 1 to 8 and any width"},
      {"atc --singleop=ops.json --output=ops --soc_version=Ascend910B3", "Write an om for each operator of ops.json"},
      {"atc --mode=1 --om=out/rec.om --json=rec.json", "Look into an om"},
      {"ATC_DIAGNOSTICS=sarif:atc.sarif atc --model=rec.onnx --framework=5 --soc_version=Ascend910B3 --output=rec",
       "Keep the messages for a CI system"},
  };
  program.see_also = {"omrun(1)"};
  return program;
}

}  // namespace atc::cli
