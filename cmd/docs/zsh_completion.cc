#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/docs/render.h"

namespace atc::docs {
namespace {

// Text inside the single quotes and brackets of an _arguments specification.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string Action(const Flag& flag) {
  switch (flag.offer) {
    case Offer::kWords: return fmt::format("({})", fmt::join(flag.words, " "));
    case Offer::kFiles: return "_files";
    case Offer::kFolders: return "_files -/";
    case Offer::kNothing: break;
  }
  return " ";
}

}  // namespace

std::string ZshCompletion(const Program& program) {
  std::string out = fmt::format(
      "#compdef {0}\n# zsh completion for {0}, generated from its table of flags\n_arguments \\\n", program.name);
  for (const Group& group : program.groups) {
    for (const Flag& flag : group.flags) {
      const std::string what = Escaped(Brief(flag));
      const std::string meta = Escaped(flag.meta);
      switch (flag.value) {
        case Value::kNone: out += fmt::format("  '--{}[{}]' \\\n", flag.name, what); break;
        case Value::kOptional:
          out += fmt::format("  '--{}=-[{}]::{}:{}' \\\n", flag.name, what, meta, Action(flag));
          break;
        case Value::kNeeded:
          out += fmt::format("  '*--{}=[{}]:{}:{}' \\\n", flag.name, what, meta, Action(flag));
          break;
      }
    }
  }
  if (program.argument.empty()) {
    out.erase(out.size() - 3);  // the last " \\\n"
    return out + "\n";
  }
  return out + fmt::format("  '1:model:_files -g \"*{}\"'\n", program.argument);
}

}  // namespace atc::docs
