// What a program's documents are made of: its flags, variables, exit statuses and examples as data. The programs fill
// it from the tables that their parsers read; man pages, completions and reference pages are renderings of it.
#pragma once

#include <string>
#include <vector>

namespace atc::docs {

// What may follow a flag.
enum class Value { kNone, kOptional, kNeeded };

// What a shell offers as the value.
enum class Offer { kNothing, kWords, kFiles, kFolders };

struct Flag {
  std::string name;  // without dashes
  Value value = Value::kNeeded;
  std::string meta;  // what stands for the value in a synopsis: "FILE"
  Offer offer = Offer::kNothing;
  std::vector<std::string> words;  // legal values; empty: free text
  std::string fallback;            // the default; empty: none
  std::vector<std::string> help;   // lines, the first of which stands alone
  std::vector<std::string> notes;  // on availability, exclusions and origin, a line each
  std::string example;             // a piece of a command line; may be empty
};

struct Group {
  std::string title;
  std::vector<Flag> flags;
};

struct Variable {
  std::string name;
  std::string values;             // legal values, for reading; may be empty
  std::vector<std::string> help;  // lines
};

struct Example {
  std::string command;
  std::string what;
};

struct ExitStatus {
  int status;
  std::string meaning;
};

struct Program {
  std::string name;
  std::string version;
  std::string tagline;                   // "convert models to om files"
  std::vector<std::string> synopsis;     // one line each
  std::vector<std::string> description;  // paragraphs
  std::string argument;                  // suffix of the files that stand without a flag (".om"); empty: there are none
  bool help_topics = false;              // --help takes the name of a flag
  std::vector<Group> groups;
  std::vector<Variable> variables;
  std::vector<ExitStatus> exits;
  std::vector<Example> examples;
  std::vector<std::string> see_also;  // "omrun(1)"
};

}  // namespace atc::docs
