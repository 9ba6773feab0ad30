// The table of late checks: flag by flag, in the order in which atc makes them.
#pragma once

#include <string>

#include "cmd/atc/command_line.h"
#include "cmd/atc/flag_faults.h"
#include "cmd/atc/grammar.h"

namespace atc::cli {

// Which of --model and --output may not be missing.
enum class FilesNeeded { kAll, kModel, kNone };

// Adds the first fault of each flag whose value is wrong.
void CheckFlagsInOrder(const FlagValues& flags, FlagFaults& faults, FilesNeeded needed = FilesNeeded::kAll);

// What the row of one flag asks for: a word of a list, a file that can be read. Throws its Error.
void CheckByRule(const FlagValues& flags, const Flag& flag);

// That the file of `path` is none that the program reads: of --model, --om, ... E10001 that names the other flag. `flag` is the
// name without dashes of the one that gives the output.
void CheckNoInputFile(const FlagValues& flags, std::string_view flag, const std::string& path);

// --host_env_os and --host_env_cpu, or those of this machine.
std::string HostOs(const FlagValues& flags);
std::string HostCpu(const FlagValues& flags);

}  // namespace atc::cli
