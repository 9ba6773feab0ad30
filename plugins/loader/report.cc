#include "plugins/loader/report.h"

#include <nlohmann/json.hpp>

namespace atc {
namespace {

std::string Count(int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Of a pass, or of one of its runs.
template <typename T>
std::string Moves(const T& done) {
  std::string text =
      "moved " + Count(done.moved, "node") + " to other streams, took " + Count(done.streams, "new stream id");
  if (done.without_task > 0) text += ", left " + Count(done.without_task, "node") + " without a task as they were";
  return text;
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
  return "ran: " + Moves(pass);
}

// A line for each graph, where that says more than the sum.
std::string Runs(const PluginReport::Pass& pass) {
  std::string text;
  if (pass.runs.size() < 2) return text;
  for (const PluginReport::Run& run : pass.runs) {
    text += "      graph " + run.graph + ": " + Moves(run) + "\n";
  }
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
        entry["graphs"] = nlohmann::json::array();
        for (const Run& run : pass.runs) {
          entry["graphs"].push_back({{"graph", run.graph},
                                     {"moved_nodes", run.moved},
                                     {"new_streams", run.streams},
                                     {"nodes_without_task", run.without_task}});
        }
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
    for (const Pass& pass : file.passes) text += "    " + pass.name + " at " + pass.stage + " " + Result(pass) + "\n" + Runs(pass);
  }
  return text;
}

}  // namespace atc
