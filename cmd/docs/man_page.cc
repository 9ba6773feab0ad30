#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/docs/render.h"

namespace atc::docs {
namespace {

// Text for troff: a backslash and a dash of its own kind, and no line that looks like a request.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '~': out += "\\(ti"; break;
      case '^': out += "\\(ha"; break;
      default: out += c;
    }
  }
  return out;
}

std::string Upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// Lines of one paragraph, each on a line of its own.
std::string Lines(const std::vector<std::string>& lines) {
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += ".br\n";
    out += Escaped(lines[i]) + "\n";
  }
  return out;
}

std::string FlagEntry(const Flag& flag) {
  const std::string equals = flag.value == Value::kOptional ? "[=" : "=";
  std::string out = fmt::format(".TP\n\\fB\\-\\-{}\\fR", Escaped(flag.name));
  if (flag.value != Value::kNone) {
    out += fmt::format("{}\\fI{}\\fR{}", equals, Escaped(flag.meta), flag.value == Value::kOptional ? "]" : "");
  }
  out += "\n" + Lines(flag.help);
  std::vector<std::string> more;
  if (!flag.words.empty()) more.push_back(fmt::format("Values: {}.", fmt::join(flag.words, ", ")));
  if (!flag.fallback.empty()) more.push_back(fmt::format("Default: {}.", flag.fallback));
  more.insert(more.end(), flag.notes.begin(), flag.notes.end());
  if (!flag.example.empty()) more.push_back("Example: " + flag.example);
  if (!more.empty()) out += ".br\n" + Lines(more);
  return out;
}

}  // namespace

std::string ManPage(const Program& program) {
  std::string out = fmt::format(".TH {} 1 \"\" \"OpenATC {}\" \"OpenATC\"\n", Upper(program.name), program.version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", program.name, Escaped(program.tagline));
  out += ".SH SYNOPSIS\n.nf\n";
  for (const std::string& line : program.synopsis) out += Escaped(line) + "\n";
  out += ".fi\n.SH DESCRIPTION\n";
  for (size_t i = 0; i < program.description.size(); ++i) {
    if (i > 0) out += ".PP\n";
    out += Escaped(program.description[i]) + "\n";
  }
  out += ".SH OPTIONS\n";
  for (const Group& group : program.groups) {
    out += fmt::format(".SS {}\n", Escaped(group.title));
    for (const Flag& flag : group.flags) out += FlagEntry(flag);
  }
  if (!program.variables.empty()) {
    out += ".SH ENVIRONMENT\n";
    for (const Variable& variable : program.variables) {
      out += fmt::format(".TP\n\\fB{}\\fR\n", variable.name) + Lines(variable.help);
      if (!variable.values.empty()) out += ".br\n" + Escaped("Values: " + variable.values + ".") + "\n";
    }
  }
  out += ".SH EXIT STATUS\n";
  for (const ExitStatus& exit : program.exits) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", exit.status, Escaped(exit.meaning));
  }
  out += ".SH EXAMPLES\n";
  for (size_t i = 0; i < program.examples.size(); ++i) {
    const Example& example = program.examples[i];
    out += fmt::format("{}{}\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", i == 0 ? "" : ".PP\n", Escaped(example.what),
                       Escaped(example.command));
  }
  if (!program.see_also.empty()) {
    out += ".SH SEE ALSO\n";
    std::vector<std::string> pages;
    for (const std::string& page : program.see_also) {
      pages.push_back(fmt::format("\\fB{}\\fR{}", page.substr(0, page.find('(')), page.substr(page.find('('))));
    }
    out += fmt::format("{}\n", fmt::join(pages, ", "));
  }
  return out;
}

}  // namespace atc::docs
