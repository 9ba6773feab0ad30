#include "plugins/loader/report.h"

#include <nlohmann/json.hpp>

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
    return "ran: " + (pass.replaced == 0 ? std::string() : "replaced " + Count(pass.replaced, "place") + ", ") + "added " +
           Count(pass.added, "node") + ", removed " + Count(pass.removed, "node");
  }
  std::string text =
      "ran: moved " + Count(pass.moved, "node") + " to other streams, took " + Count(pass.streams, "new stream id");
  if (pass.without_task > 0) text += ", left " + Count(pass.without_task, "node") + " without a task as they were";
  return text;
}

}  // namespace

std::string PluginReport::Json() const {
  constexpr const char* kOutcomes[] = {"waiting", "ran", "failed", "skipped"};  // by number
  nlohmann::ordered_json json = {{"root", root}, {"files", nlohmann::json::array()}};
  for (const File& file : files) {
    nlohmann::ordered_json one = {{"path", file.path}, {"loaded", file.loaded}};
    if (!file.why.empty()) one["why"] = file.why;
    one["passes"] = nlohmann::json::array();
    for (const Pass& pass : file.passes) {
      nlohmann::ordered_json entry = {
          {"name", pass.name}, {"stage", pass.stage}, {"outcome", kOutcomes[static_cast<size_t>(pass.outcome)]}};
      if (!pass.why.empty()) entry["why"] = pass.why;
      if (pass.outcome == Outcome::kRan && pass.stage == "kAfterAssignLogicStream") {
        entry["moved_nodes"] = pass.moved;
        entry["new_streams"] = pass.streams;
        entry["nodes_without_task"] = pass.without_task;
      } else if (pass.outcome == Outcome::kRan) {
        entry["replaced_places"] = pass.replaced;
        entry["added_nodes"] = pass.added;
        entry["removed_nodes"] = pass.removed;
      }
      one["passes"].push_back(std::move(entry));
    }
    json["files"].push_back(std::move(one));
  }
  // Paths may be of any bytes.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

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
