// Which storage formats a conversion chose, and what moves between them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/pipeline.h"

namespace atc {

// A TransData or Transpose that is left in the compiled graph.
struct RemainingMove {
  std::string node, type;
  std::string from, to;         // "NCHW [1,3,224,224]"
  int64_t bytes = 0;            // read and written in the storage views; -1 where shapes are open
  double predicted_us = 0;      // on an NPU, by the cost model of streams (task_cost.h)
  bool alias = false;           // on this device the two views are the same bytes: it emits no task
  std::string because_of;       // the node because of which it stays
  std::string rule;             // and what that node does
};

// For a compiled model; nested graphs included.
class FormatReport {
 public:
  void Finish(const CompileResult& result);

  std::string Text() const;
  std::string Json() const;

  std::vector<RemainingMove> moves;          // in the order of tasks
  std::map<std::string, int64_t> formats;    // results of operators by the format that holds them
  double predicted_us = 0;                   // of all tasks of the model on an NPU

 private:
  void Add(const Graph& graph);
};

}  // namespace atc
