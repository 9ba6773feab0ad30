// Measured times of tasks, from the op_summary.csv of a profiler.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace atc {

struct MeasuredTask {
  double us = 0;
  bool cube = false;     // ran on cube cores (AI_CORE, MIX_AIC), else on vector cores
  int blocks = 1;        // cores taken
  int mix_blocks = 0;    // cores of the other kind taken beside them
};

using OpSummary = std::map<std::string, MeasuredTask, std::less<>>;  // by name of the node

// Reads the columns "Op Name", "Task Type", "Task Duration(us)" and, where they are there, "Block Num" and "Mix Block Num".
// Cells may be quoted. Of a name that stands there several times (runs, or parts of one node) the mean is taken. `source`
// stands for the file in messages. Throws Error E10001 (parameter MINIDAG_PROFILING_PATH) for a missing column or a
// number that is none, with the line.
OpSummary ParseOpSummary(std::string_view csv, const std::string& source);

// The file that MINIDAG_PROFILING_PATH names; empty where the variable is not set. Throws as above.
OpSummary OpSummaryOfProcess();

}  // namespace atc
