#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/docs/render.h"

namespace atc::docs {
namespace {

// Flags that share what is offered for them share a case.
std::string Case(const std::vector<std::string>& names, const std::string& action) {
  if (names.empty()) return "";
  return fmt::format("    {})\n      {}\n      return ;;\n", fmt::join(names, "|"), action);
}

}  // namespace

std::string BashCompletion(const Program& program) {
  std::vector<std::string> files, folders, free, all;
  std::string cases;
  std::vector<std::string> topics;
  for (const Group& group : program.groups) {
    for (const Flag& flag : group.flags) {
      const std::string name = "--" + flag.name;
      topics.push_back(flag.name);
      all.push_back(flag.value == Value::kNeeded ? name + "=" : name);
      if (flag.value == Value::kNone) continue;
      switch (flag.offer) {
        case Offer::kWords:
          cases += Case(
              {name}, fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")", fmt::join(flag.words, " ")));
          break;
        case Offer::kFiles: files.push_back(name); break;
        case Offer::kFolders: folders.push_back(name); break;
        case Offer::kNothing: free.push_back(name); break;
      }
    }
  }
  cases += Case(files, "_files=1; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")");
  cases += Case(folders, "_files=1; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")");
  cases += Case(free, "COMPREPLY=()");
  if (program.help_topics) {
    cases +=
        Case({"--help"}, fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")", fmt::join(topics, " ")));
  }
  const std::string positional =
      program.argument.empty()
          ? ""
          : fmt::format(
                "  if [[ $cur != -* ]]; then\n"
                "    compopt -o filenames 2>/dev/null\n"
                "    mapfile -t COMPREPLY < <(compgen -f -X '!*{}' -- \"$cur\"; compgen -d -- \"$cur\")\n"
                "    return\n"
                "  fi\n",
                program.argument);
  return fmt::format(
      R"(# bash completion for {0}, generated from its table of flags
_{0}_value() {{
  case $1 in
{1}  esac
  return 1
}}

_{0}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev= flag= _files=
  [[ $COMP_CWORD -gt 0 ]] && prev=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  # bash makes a word of its own of '='
  if [[ $cur == = ]]; then
    flag=$prev cur=
  elif [[ $prev == = && $COMP_CWORD -gt 1 ]]; then
    flag=${{COMP_WORDS[COMP_CWORD - 2]}}
  elif [[ $cur == --*=* ]]; then
    flag=${{cur%%=*}} cur=${{cur#*=}}
  elif [[ $cur != -* && $prev == --* ]]; then
    flag=$prev
  fi
  if [[ -n $flag ]] && _{0}_value "$flag"; then
    [[ -n $_files ]] && compopt -o filenames 2>/dev/null
    return
  fi
{2}  mapfile -t COMPREPLY < <(compgen -W '{3}' -- "$cur")
  [[ ${{#COMPREPLY[@]}} -eq 1 && ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}}
complete -F _{0} {0}
)",
      program.name, cases, positional, fmt::join(all, " "));
}

}  // namespace atc::docs
