// What the documents of atc are made of.
#pragma once

#include "cmd/atc/flag_table.h"
#include "cmd/docs/program.h"

namespace atc::cli {

// From the tables of flags, relations, variables and exit statuses; flags that the help does not show are left out.
docs::Program AtcDocument();

// What is to be said of a flag beside its help: availability, modes, GE's option, what excludes it.
std::vector<std::string> FlagNotes(const Flag& flag);

}  // namespace atc::cli
