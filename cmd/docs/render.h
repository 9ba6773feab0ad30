// The documents of a program, as text. Equal input gives equal text: no dates, no paths.
#pragma once

#include <string>

#include "cmd/docs/program.h"

namespace atc::docs {

// troff with the man macros, section 1.
std::string ManPage(const Program& program);

// Markdown: every flag with its values, default, notes and example.
std::string ReferencePage(const Program& program);

// What a list of flags has room for: the first sentence of the help.
inline std::string Brief(const Flag& flag) { return flag.help.at(0).substr(0, flag.help.at(0).find(". ")); }

// Completions. bash needs 4.4 or newer and no further package.
std::string BashCompletion(const Program& program);
std::string ZshCompletion(const Program& program);
std::string FishCompletion(const Program& program);

}  // namespace atc::docs
