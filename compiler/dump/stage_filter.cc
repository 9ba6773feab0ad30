#include "compiler/dump/stage_filter.h"

#include <algorithm>
#include <iterator>

namespace atc {
namespace {

// Stages of level 2, by whole name.
constexpr std::string_view kListed[] = {
    "AfterInfershape",
    "Build",
    "ComputeGraphBeforeLowering",
    "ExeGraphBeforeOptimize",
    "ExecuteGraphAfterSplit",
    "PreRunAfterNormalizeGraph",
    "PreRunAfterOptimizeAfterStage1",
    "PreRunAfterOptimizeGraphBeforeBuild",
    "PreRunAfterOptimizeOriginalGraph",
    "PreRunAfterOptimizeSubgraph",
    "PreRunAfterPrepare",
    "PreRunBegin",
};

// And those whose name holds one of these.
constexpr std::string_view kListedParts[] = {"AutoFuseAfterOptimize", "AutoFuseBeforeOptimize", "RunCustomPass"};

// Left out at level 1: one graph for each part of the model.
constexpr std::string_view kPartial[] = {"Aicpu", "OptimizeSubGraph", "partition", "sub_graph"};

bool HoldsOne(std::string_view stage, const auto& parts) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](const auto& part) { return stage.find(part) != std::string_view::npos; });
}

bool IsDigits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

}  // namespace

StageFilter::StageFilter(std::string_view level) {
  if (level.empty() || level == "2") {
    kind_ = Kind::kListed;
  } else if (level == "1") {
    kind_ = Kind::kAll;
  } else if (level == "3" || level == "4") {
    kind_ = Kind::kExact;
    parts_ = {level == "3" ? "Build" : "PreRunBegin"};
  } else if (!IsDigits(level)) {
    kind_ = Kind::kParts;
    while (!level.empty()) {
      const size_t bar = std::min(level.find('|'), level.size());
      if (bar > 0) parts_.emplace_back(level.substr(0, bar));
      level.remove_prefix(std::min(bar + 1, level.size()));
    }
  }
}

bool StageFilter::Wants(std::string_view stage) const {
  switch (kind_) {
    case Kind::kNone: return false;
    case Kind::kAll: return !HoldsOne(stage, kPartial);
    case Kind::kListed:
      return std::find(std::begin(kListed), std::end(kListed), stage) != std::end(kListed) ||
             HoldsOne(stage, kListedParts);
    case Kind::kExact: return stage == parts_[0];
    case Kind::kParts: return !IsDigits(stage) && HoldsOne(stage, parts_);
  }
  return false;
}

}  // namespace atc
