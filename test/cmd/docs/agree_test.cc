// Parser, help, man page, completions and reference page tell of the same flags.
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>

#include "cmd/atc/command_line.h"
#include "cmd/atc/document.h"
#include "cmd/atc/environment.h"
#include "cmd/atc/help.h"
#include "cmd/docs/render.h"
#include "cmd/omrun/document.h"
#include "cmd/omrun/flag_table.h"

namespace atc::docs {
namespace {

using NameSet = std::set<std::string>;

// Every name that the pattern's first group matches.
NameSet Found(const std::string& text, const std::string& pattern) {
  NameSet names;
  const std::regex regex(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    names.insert((*match)[1]);
  return names;
}

std::string WithoutEscapes(std::string text) {
  for (size_t at; (at = text.find("\\-")) != std::string::npos;) text.erase(at, 1);
  return text;
}

// With one blank for each run of blanks and line ends.
std::string InOneLine(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

std::string Read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

NameSet NamesOf(const Program& program) {
  NameSet names;
  for (const Group& group : program.groups) {
    for (const Flag& flag : group.flags) CHECK(names.insert(flag.name).second);
  }
  return names;
}

void CheckDocuments(const Program& program) {
  const NameSet names = NamesOf(program);
  CHECK(Found(WithoutEscapes(ManPage(program)), R"(\n\\fB--([\w]+)\\fR)") == names);
  CHECK(Found(ReferencePage(program), R"(\n#### `--(\w+))") == names);
  CHECK(Found(ZshCompletion(program), R"(\n  '\*?--(\w+)[=\[])") == names);
  CHECK(Found(FishCompletion(program), R"(\ncomplete -c \w+ -l (\w+) )") == names);
  const std::string bash = BashCompletion(program);
  const size_t list = bash.rfind("compgen -W '--");
  REQUIRE(list != std::string::npos);
  CHECK(Found(bash.substr(list, bash.find('\n', list) - list), R"(--(\w+))") == names);
  for (const Variable& variable : program.variables) {
    INFO(variable.name);
    CHECK(ManPage(program).find("\\fB" + variable.name + "\\fR\n") != std::string::npos);
    CHECK(ReferencePage(program).find("| `" + variable.name + "` |") != std::string::npos);
  }
}

TEST_CASE("atc: the documents have the flags of the table, and so has the help") {
  const Program program = cli::AtcDocument();
  NameSet shown;
  for (const cli::Flag& flag : cli::FlagTable()) {
    if (flag.group != cli::Group::kHidden) shown.emplace(flag.name);
  }
  CHECK(NamesOf(program) == shown);
  CheckDocuments(program);
  NameSet in_help = Found(cli::HelpText(), R"(\n  --(\w+))");
  in_help.erase("h");  // "--h/help"
  in_help.insert("help");
  CHECK(in_help == shown);
  for (const cli::EnvironmentVariable& variable : cli::EnvironmentVariables()) {
    INFO(variable.name);
    CHECK((cli::HelpText().find("\n  " + std::string(variable.name)) != std::string::npos) == variable.used);
  }
}

TEST_CASE("atc: the parser takes every flag of the documents, its words, its default and its example") {
  const auto parse = [](const std::vector<std::string>& args) { return cli::ParseCommandLine(args); };
  for (const Group& group : cli::AtcDocument().groups) {
    for (const Flag& flag : group.flags) {
      INFO(flag.name);
      const std::string name = "--" + flag.name;
      if (flag.value == Value::kNone) CHECK_NOTHROW(parse({name}));
      if (flag.value != Value::kNeeded) continue;
      CHECK_THROWS_AS(parse({name}), cli::LexicalError);
      for (const std::string& word : flag.words) CHECK(parse({name + "=" + word}).Get(flag.name) == word);
      if (!flag.fallback.empty()) CHECK(parse({name, flag.fallback}).Get(flag.name) == flag.fallback);
      CHECK(InOneLine(cli::HelpText(*cli::FindFlag(flag.name))).find(InOneLine(flag.help[0])) != std::string::npos);
    }
  }
}

TEST_CASE("examples are command lines that the parser takes") {
  for (const Group& group : cli::AtcDocument().groups) {
    for (const Flag& flag : group.flags) {
      if (flag.example.empty()) continue;
      INFO(flag.example);
      CHECK(flag.example.find("--" + flag.name) != std::string::npos);
      // As a shell would cut it.
      std::vector<std::string> args(1);
      bool quoted = false;
      for (const char c : flag.example) {
        if (c == '"') {
          quoted = !quoted;
        } else if (c == ' ' && !quoted) {
          args.emplace_back();
        } else {
          args.back() += c;
        }
      }
      CHECK_NOTHROW(cli::ParseCommandLine(args));
    }
  }
}

std::string Output(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

TEST_CASE("omrun: the documents and the program's help have the flags of the table") {
  NameSet all;
  for (const omrun::Flag& flag : omrun::FlagTable()) all.emplace(flag.name);
  CHECK(NamesOf(omrun::OmrunDocument()) == all);
  CheckDocuments(omrun::OmrunDocument());
  const std::string help = Output(OPENATC_OMRUN " --help");
  CHECK(Found(help.substr(0, help.find("\nExamples:")), R"(\n  (?:-h,)?--(\w+))") == all);
  for (const omrun::Flag& flag : omrun::FlagTable()) {
    INFO(flag.name);
    CHECK(help.find("--" + std::string(flag.name)) != std::string::npos);
  }
  CHECK(Output(OPENATC_OMRUN " --version").find("omrun ") == 0);
}

TEST_CASE("the reference pages of the source tree are those of the tables") {
  const std::pair<const char*, Program> pages[] = {{"cmd/atc/REFERENCE.md", cli::AtcDocument()},
                                                   {"cmd/omrun/REFERENCE.md", omrun::OmrunDocument()}};
  for (const auto& [path, program] : pages) {
    INFO(path << " is not what the tables say; run: build/bin/write_docs --reference .");
    CHECK((Read(path) == ReferencePage(program)));
  }
}

TEST_CASE("text that a format would take for mark-up") {
  Program program;
  program.name = "prog";
  program.tagline = "a-b";
  program.groups = {{"Group", {}}};
  Flag flag;
  flag.name = "odd";
  flag.meta = "TEXT";
  flag.help = {".dot first, it's [a:b] \\ 'c'", "'quote first"};
  program.groups[0].flags = {flag};
  CHECK(ManPage(program).find("\n\\&.dot first, it's [a:b] \\e 'c'\n.br\n\\&'quote first\n") != std::string::npos);
  CHECK(ZshCompletion(program).find(R"('*--odd=[.dot first, it'\''s \[a\:b\] \\ '\''c'\'']:TEXT: ')") !=
        std::string::npos);
  CHECK(FishCompletion(program).find(R"(complete -c prog -l odd -x -d '.dot first, it\'s [a:b] \\ \'c\'')") !=
        std::string::npos);
  CHECK(ReferencePage(program).find(R"(it's \[a:b\] \\ 'c')") != std::string::npos);
}

}  // namespace
}  // namespace atc::docs
