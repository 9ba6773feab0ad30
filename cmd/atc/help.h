// The text of --help, made from the flag table.
#pragma once

#include <string>

#include "cmd/atc/flag_table.h"

namespace atc::cli {

std::string HelpText();

// What --help with the name of a flag prints: all that the table knows of it.
std::string HelpText(const Flag& flag);

}  // namespace atc::cli
