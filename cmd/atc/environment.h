// The environment variables that atc reads, as data: for its help and documents, and for checks at its start.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/error.h"

namespace atc::cli {

// What a value must be; another one is a warning that names the legal ones.
enum class VariableRule {
  kText,
  kWord,         // one of the words
  kAnyCaseList,  // words with '|' between them, in any case
  kStages,       // a level, or parts of the names of stages with '|' between them
  kNumber,       // a whole number, 1 or greater
  kFolder,       // a folder; it is made where it is written to
  kFile,         // a file that exists
  kReport,       // see report.h
};

struct EnvironmentVariable {
  std::string_view name;
  VariableRule rule;
  std::string_view values;  // legal words, separated by blanks
  std::string_view help;    // lines
  bool used = true;         // false: read by the vendor's tool only
};

std::span<const EnvironmentVariable> EnvironmentVariables();

using EnvironmentMap = std::map<std::string, std::string, std::less<>>;

// Of this process.
EnvironmentMap ProcessEnvironment();

// Warns (W10002) of values that are not legal, of variables without effect here, and of names that are those of a
// variable but for a slip of the finger.
void CheckEnvironment(const EnvironmentMap& environment, Diagnostics* warnings);

// Makes the folder that ASCEND_WORK_PATH names, where it is set and missing. E10001 where that cannot be done.
void MakeWorkFolder(const EnvironmentMap& environment);

}  // namespace atc::cli
