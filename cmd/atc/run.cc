#include "cmd/atc/run.h"

#include "cmd/atc/paths.h"
#include "compiler/io/output_file.h"

namespace atc::cli {

void GiveJson(Run& run, const std::string& text) {
  const std::string path = run.flags.Get("json");
  if (path.empty()) return run.console.Print(text);
  CheckOutputFile("json", path);
  MakeParentFolders(path);
  OutputFile file(path);
  file.Write(text);
  file.Commit();
}

}  // namespace atc::cli
