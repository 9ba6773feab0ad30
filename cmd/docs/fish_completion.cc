#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/docs/render.h"

namespace atc::docs {
namespace {

std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string Offered(const Flag& flag) {
  switch (flag.offer) {
    case Offer::kWords: return "-x -a " + Quoted(fmt::format("{}", fmt::join(flag.words, " ")));
    case Offer::kFiles: return "-r -F";
    case Offer::kFolders: return "-x -a '(__fish_complete_directories)'";
    case Offer::kNothing: break;
  }
  return "-x";
}

}  // namespace

std::string FishCompletion(const Program& program) {
  std::string out = fmt::format("# fish completion for {0}, generated from its table of flags\n", program.name);
  if (program.argument.empty()) {
    out += fmt::format("complete -c {} -f\n", program.name);
  } else {
    out += fmt::format("complete -c {} -k -x -a '(__fish_complete_suffix {})'\n", program.name, program.argument);
  }
  for (const Group& group : program.groups) {
    for (const Flag& flag : group.flags) {
      const std::string offered = flag.value == Value::kNeeded ? " " + Offered(flag) : "";
      out += fmt::format("complete -c {} -l {}{} -d {}\n", program.name, flag.name, offered, Quoted(Brief(flag)));
    }
  }
  return out;
}

}  // namespace atc::docs
