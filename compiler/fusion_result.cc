#include "compiler/fusion_result.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/pipeline.h"

namespace atc {

std::string FusionResultJson(const Journal& journal) {
  using Json = nlohmann::ordered_json;
  Json graph = Json::object();
  Json ub = Json::object();
  const std::vector<PassInfo> known = KnownPasses();
  for (const auto& [pass, counts] : journal.counts()) {
    const auto info = std::find_if(known.begin(), known.end(), [&](const PassInfo& p) { return p.name == pass; });
    const bool is_ub = info != known.end() && info->kind == FusionKind::kUb;
    Json entry = {{"match_times", std::to_string(counts.matches)}};
    if (is_ub) entry["repository_hit_times"] = "0";
    entry["effect_times"] = std::to_string(counts.effects);
    (is_ub ? ub : graph)[pass] = std::move(entry);
  }
  const Json result = {{"session_and_graph_id_0_0", {{"graph_fusion", graph}, {"ub_fusion", ub}}}};
  return result.dump(4) + "\n";
}

}  // namespace atc
