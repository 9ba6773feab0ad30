// What is shown of a conversion beside its om: --stages, --explain_node, --precision_report, --format_report, --report.
// Without --output nothing is written but these.
#pragma once

#include "cmd/atc/run.h"
#include "compiler/explain_node.h"
#include "compiler/pipeline.h"
#include "compiler/precision_report.h"
#include "compiler/stage_report.h"

namespace atc::cli {

// Whether the conversion is for looking alone.
bool OnlyLooks(const FlagValues& flags);

// E10001 where --om stands in place of --model beside a look that is of conversions alone.
void CheckNotOfOm(const FlagValues& flags);

class Looks {
 public:
  // Checks where the reports go. Throws Error.
  explicit Looks(Run& run);

  // To be called after each stage.
  void See(std::string_view stage, const Graph& graph);
  // Prints or writes what is asked for.
  void Give(const CompileResult& result);
  // Of a conversion that failed: its stages so far.
  void GiveFailed(const std::vector<StageTime>& times, const Journal& journal);

 private:
  Run& run_;
  StageReport stages_;
  PrecisionReport precision_;
  ParsedNodes parsed_;
};

// --explain_node of an om.
void ExplainNodeOfOm(Run& run);

}  // namespace atc::cli
