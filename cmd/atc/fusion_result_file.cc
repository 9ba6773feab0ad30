#include "cmd/atc/fusion_result_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "compiler/fusion_result.h"
#include "compiler/io/output_file.h"

namespace atc::cli {

FusionResultFile::FusionResultFile(const FlagValues& flags) {
  constexpr const char* kName = "fusion_result.json";
  if (flags.Get("export_compile_stat") == "0") return;
  const char* root = std::getenv("ASCEND_WORK_PATH");
  if (root != nullptr && *root != '\0') {
    path_ = fmt::format("{}/FE/{}/{}", root, getpid(), kName);
  } else if (flags.IsSet("export_compile_stat")) {
    path_ = kName;
  }
  if (!path_.empty()) std::remove(path_.c_str());
}

void FusionResultFile::Write(const Journal& journal) const {
  if (path_.empty()) return;
  MakeParentFolders(path_);
  OutputFile file(path_);
  file.Write(FusionResultJson(journal));
  file.Commit();
}

}  // namespace atc::cli
