#include "cmd/atc/run.h"

#include "cmd/atc/check_rules.h"
#include "cmd/atc/paths.h"
#include "compiler/io/output_file.h"

namespace atc::cli {
namespace {

bool IsFile(const std::string& to) { return !to.empty() && to != "json"; }

}  // namespace

void CheckReportFile(const Run& run, std::string_view flag) {
  const std::string to = run.flags.Get(flag);
  if (!IsFile(to)) return;
  CheckOutputFile(std::string(flag), to);
  CheckNoInputFile(run.flags, flag, to);
}

bool WantsJson(const FlagValues& flags, std::string_view flag) {
  const std::string to = flags.Get(flag);
  return to == "json" || to.ends_with(".json") || (to.empty() && flags.Given("json"));
}

void GiveReport(Run& run, std::string_view flag, const std::string& text) {
  const std::string to = run.flags.Get(flag);
  if (to.empty() && run.flags.IsSet("json")) return GiveJson(run, text);
  if (!IsFile(to)) return run.console.Print(text);
  MakeParentFolders(to);
  OutputFile file(to);
  file.Write(text);
  file.Commit();
}

void GiveJson(Run& run, const std::string& text) {
  const std::string path = run.flags.Get("json");
  if (path.empty()) return run.console.Print(text);
  CheckOutputFile("json", path);
  CheckNoInputFile(run.flags, "json", path);
  MakeParentFolders(path);
  OutputFile file(path);
  file.Write(text);
  file.Commit();
}

}  // namespace atc::cli
