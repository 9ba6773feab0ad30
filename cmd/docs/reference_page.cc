#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/docs/render.h"

namespace atc::docs {
namespace {

// Markdown would take these for mark-up.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_<>|#[]~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::vector<std::string> InCode(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) out.push_back("`" + word + "`");
  return out;
}

std::string FlagEntry(const Flag& flag) {
  std::string shown = "--" + flag.name;
  if (flag.value == Value::kOptional) shown += "[=" + flag.meta + "]";
  if (flag.value == Value::kNeeded) shown += "=" + flag.meta;
  std::string out = fmt::format("#### `{}`\n\n", shown);
  for (size_t i = 0; i < flag.help.size(); ++i) {
    out += Escaped(flag.help[i]) + (i + 1 < flag.help.size() ? "  \n" : "\n");
  }
  std::vector<std::string> facts;
  if (!flag.words.empty()) facts.push_back(fmt::format("Values: {}", fmt::join(InCode(flag.words), ", ")));
  if (!flag.fallback.empty()) facts.push_back(fmt::format("Default: `{}`", flag.fallback));
  for (const std::string& note : flag.notes) facts.push_back(Escaped(note));
  if (!flag.example.empty()) facts.push_back(fmt::format("Example: `{}`", flag.example));
  if (!facts.empty()) out += "\n";
  for (const std::string& fact : facts) out += "- " + fact + "\n";
  return out + "\n";
}

}  // namespace

std::string ReferencePage(const Program& program) {
  std::string out = fmt::format("# {}: {}\n\nThis page is generated from the program's own tables.\n\n```\n",
                                program.name, program.tagline);
  for (const std::string& line : program.synopsis) out += line + "\n";
  out += "```\n\n";
  for (const std::string& paragraph : program.description) out += Escaped(paragraph) + "\n\n";
  out += "## Examples\n\n";
  for (const Example& example : program.examples) {
    out += fmt::format("{}:\n\n```\n{}\n```\n\n", Escaped(example.what), example.command);
  }
  out += "## Flags\n\n";
  for (const Group& group : program.groups) {
    out += fmt::format("### {}\n\n", group.title);
    for (const Flag& flag : group.flags) out += FlagEntry(flag);
  }
  if (!program.variables.empty()) {
    out += "## Environment\n\n| variable | values | meaning |\n|---|---|---|\n";
    for (const Variable& variable : program.variables) {
      out += fmt::format("| `{}` | {} | {} |\n", variable.name, Escaped(variable.values),
                         Escaped(fmt::format("{}", fmt::join(variable.help, " "))));
    }
    out += "\n";
  }
  out += "## Exit status\n\n| status | meaning |\n|---|---|\n";
  for (const ExitStatus& exit : program.exits) out += fmt::format("| {} | {} |\n", exit.status, Escaped(exit.meaning));
  return out;
}

}  // namespace atc::docs
