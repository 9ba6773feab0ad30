// --diff: what is different between two om or two dumps.
#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"
#include "compiler/model_diff.h"

namespace atc::cli {

void Diff(Run& run) {
  run.trouble = kDiffTrouble;
  const std::string both = run.flags.Get("diff");
  const size_t between = both.find(kPairSeparator);
  const std::string a = both.substr(0, between);
  const std::string b = between == std::string::npos ? "" : both.substr(between + 1);
  CheckInputFile("diff", a);
  CheckInputFile("diff", b);
  const ModelDiff diff = DiffModels(ViewFile(a), ViewFile(b));
  run.flags.Given("json") ? GiveJson(run, diff.Json()) : run.console.Print(diff.Text());
  if (!diff.equal()) run.status = kDiffers;
}

}  // namespace atc::cli
