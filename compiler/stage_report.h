// What each stage of a conversion took and did.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/model_diff.h"
#include "compiler/pipeline.h"

namespace atc {

struct ReportedStage {
  std::string name;
  double seconds = 0;  // the stage alone, without dumps
  int64_t nodes = 0;   // after it, those of control flow included, members of fused nodes not; -1: it failed
  std::vector<std::string> added, removed;  // "name (Type)"
  std::map<std::string, int64_t> changes;   // by kind of Difference, nodes aside
  std::map<std::string, int64_t> rewrites;  // by pass
};

// Watches a conversion: See after each stage, Finish when it is done or has failed.
class StageReport {
 public:
  void See(std::string_view stage, const Graph& graph);
  void Finish(const std::vector<StageTime>& times, const Journal& journal);

  const std::vector<ReportedStage>& stages() const { return stages_; }
  // A line a stage; those that have left the graph as it was say so, and so does the one that failed.
  std::string Text() const;
  std::string Json() const;

 private:
  std::vector<ReportedStage> stages_;
  ModelView last_;
};

}  // namespace atc
