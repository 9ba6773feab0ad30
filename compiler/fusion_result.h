// fusion_result.json: how often each rewriting pass found its pattern, and how often it then rewrote it.
#pragma once

#include <string>

#include "compiler/ir/journal.h"

namespace atc {

// {"session_and_graph_id_0_0": {"graph_fusion": {"Pass": {"match_times": "2", "effect_times": "2"}}, "ub_fusion": {...}}}
// with an indent of 4 and a line break at the end. Passes that fuse into one kernel (FusionKind::kUb) stand under
// "ub_fusion", with "repository_hit_times" "0", for there is no tuning repository; all others under "graph_fusion".
// Passes that found nothing are left out.
std::string FusionResultJson(const Journal& journal);

}  // namespace atc
