// Command lines of other runners (msame, ais_bench, trtexec) in this program's words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atc::omrun {

struct OwnArguments {
  std::vector<std::string> arguments;
  std::vector<std::string> notes;  // on flags of others that have nothing to act on here, as "--npu_id: ..."
  bool summary = false;            // called as msame or ais_bench are: scripts around them look for their summary
};

// The arguments with this program's names in place of those that other runners use, and a value for every switch:
// "--iterations=5 --debug" as "--loop=5 --debug=true". Words may be joined by '-' as well as by '_' or capitals:
// "--dym-batch" is "--dymBatch". Throws RunError for a flag of others that lacks its value.
OwnArguments OwnNames(std::vector<std::string> arguments);

// All names that are taken besides this program's own, and those that are taken without effect, in the order of the
// tables.
std::vector<std::string> OtherNames();
std::vector<std::string> NamesWithoutEffect();

}  // namespace atc::omrun
