// Why each node is on its stream, and what that is expected to give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/options.h"
#include "compiler/om/om_model.h"
#include "compiler/streams/events.h"

namespace atc {

struct ReportedNode {
  std::string name, type, engine;
  std::string rule;     // that chose the stream; empty: the om (a vendor's) does not say
  double predicted_us = 0;
  bool measured = false;
};

struct ReportedWait {
  int64_t event = 0;
  std::string before;         // the node that waits
  std::string for_node;       // for this one
  int32_t on_stream = 0;      // there
  double predicted_us = 0;    // how long the stream stands still
};

struct ReportedStream {
  int32_t id = 0;
  std::vector<ReportedNode> nodes;  // in launch order
  std::vector<ReportedWait> waits;
  double predicted_load_us = 0;
  double predicted_wait_us = 0;
};

struct WhatIf {
  int32_t streams_wanted = 0;
  std::string mode;
  int32_t streams = 0;  // that it comes to
  double predicted_makespan_us = 0;
  int32_t events = 0;
  int64_t memory_bytes = -1;  // -1: shapes are unknown
};

struct StreamReport {
  std::string model;
  std::string soc_version;
  bool unknown_shapes = false;
  int32_t measured = 0, kernels = 0;  // costs taken from MINIDAG_PROFILING_PATH, and tasks in all
  std::vector<ReportedStream> streams;
  double predicted_makespan_us = 0;
  std::vector<ReportedNode> critical_path;
  EventCounts events;        // by rule: plain, GE's, the reduced set
  int64_t inserted = 0;      // that the om holds, those of split streams included
  std::string splits;        // "stream:logical stream,..."; empty: none
  std::vector<WhatIf> what_if;

  // Both say of every figure that is one that it is a prediction.
  std::string Text() const;
  std::string Json() const;
};

// For a compiled model, or one that was read from an om. What-if places the model's tasks
// anew on 1 to kMostWhatIf streams by the mode that `mode` says, LoadBalance where that has no number of streams, and
// plans events and memory for each; passes of plugins have no part in it. Throws Error E20101 for an unknown chip,
// E10001 for a profile that cannot be read.
StreamReport MakeStreamReport(const OmModel& model, const ParallelMode& mode);
// The same of an om; also throws as ReadOm does.
StreamReport MakeStreamReport(const std::string& om_path, const ParallelMode& mode);

inline constexpr int kMostWhatIf = 8;

}  // namespace atc
