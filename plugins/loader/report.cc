#include "plugins/loader/report.h"

namespace atc {
namespace {

std::string Count(int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string Result(const PluginReport::Pass& pass) {
  switch (pass.outcome) {
    case PluginReport::Outcome::kWaiting: return "was not reached";
    case PluginReport::Outcome::kFailed: return "failed: " + pass.why;
    case PluginReport::Outcome::kSkipped: return "was skipped: " + pass.why;
    case PluginReport::Outcome::kRan: break;
  }
  if (pass.stage != "kAfterAssignLogicStream") {
    return "ran: added " + Count(pass.added, "node") + ", removed " + Count(pass.removed, "node");
  }
  std::string text =
      "ran: moved " + Count(pass.moved, "node") + " to other streams, took " + Count(pass.streams, "new stream id");
  if (pass.without_task > 0) text += ", left " + Count(pass.without_task, "node") + " without a task as they were";
  return text;
}

}  // namespace

std::string PluginReport::Text() const {
  std::string text = "plugins under " + (root.empty() ? std::string("(no opp folder)") : root) + ":\n";
  for (const File& file : files) {
    text += "  " + (file.path.empty() ? std::string("(this program)") : file.path) + ": " +
            (file.loaded ? "loaded, registers " + std::to_string(file.passes.size()) +
                               (file.passes.size() == 1 ? " pass" : " passes")
                         : "not loaded: " + file.why) +
            "\n";
    for (const Pass& pass : file.passes) text += "    " + pass.name + " at " + pass.stage + " " + Result(pass) + "\n";
  }
  return text;
}

}  // namespace atc
