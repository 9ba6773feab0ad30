// --raw_ge_options: GE's options by their own keys, from a JSON file, into the values of flags.
#pragma once

#include "cmd/atc/command_line.h"
#include "compiler/ir/error.h"

namespace atc::cli {

// Reads the file that --raw_ge_options names, where it is given:
// {"compile options": {"global": {}, "session": {}, "graph": {}}, "execute options": {...}}, of which the latter are not
// for a converter. Of one key, graph wins over session, session over global, and a flag of the command line over all.
// A key of a flag becomes its value; the others go to FlagValues::raw.
// Throws E13001 (cannot be opened), E10032 (its form), E10001 (an option that must be a flag), E10055 (a key that is not
// supported; with --raw_ge_options_ignore_unsupported a warning), and what the flag's own value rule throws.
void ApplyRawGeOptions(FlagValues* flags, Diagnostics* warnings);

}  // namespace atc::cli
