// --check_om: proves a finished om in order, or names what is not.
#include <fmt/format.h>

#include "cmd/atc/paths.h"
#include "cmd/atc/run.h"
#include "compiler/check_om.h"
#include "plugins/operators/custom_operators.h"

namespace atc::cli {

void CheckFinishedOm(Run& run) {
  const std::string path = run.flags.Get("check_om");
  CheckInputFile("check_om", path);
  run.Step("check the om");
  LoadCustomOperators();  // the om may hold operators of plugins
  const OmVerdict verdict = CheckOmFile(path);
  if (verdict.faults.empty()) {
    run.console.Print(fmt::format(
        "{}: {} task{} on {} stream{}, {} event{}, {} B of memory: every dependency and every reuse of memory is ordered "
        "({} accesses).\n",
        path, verdict.tasks, verdict.tasks == 1 ? "" : "s", verdict.streams, verdict.streams == 1 ? "" : "s",
        verdict.events, verdict.events == 1 ? "" : "s", verdict.bytes, verdict.accesses));
    return;
  }
  for (const std::string& fault : verdict.faults) run.console.Print(fault + "\n");
  throw Error("E10041", {{"parameter", path},
                         {"reason", fmt::format("{} fault{} of order found, first: {}", verdict.faults.size(),
                                                verdict.faults.size() == 1 ? "" : "s",
                                                verdict.faults.front())}},
              "Convert the model again.");
}

}  // namespace atc::cli
