// Where fusion_result.json goes, and when.
#pragma once

#include <string>

#include "cmd/atc/command_line.h"
#include "compiler/ir/journal.h"

namespace atc::cli {

// $ASCEND_WORK_PATH/FE/<pid>/fusion_result.json where that variable is set, else ./fusion_result.json with
// --export_compile_stat; nowhere otherwise, and with --export_compile_stat=0.
class FusionResultFile {
 public:
  // Removes the file of an earlier run, which would be taken for this one's.
  explicit FusionResultFile(const FlagValues& flags);

  // E13001, E13004.
  void Write(const Journal& journal) const;

 private:
  std::string path_;  // empty: nowhere
};

}  // namespace atc::cli
