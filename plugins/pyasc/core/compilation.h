// A graph compiled in process, and what is to be known of it.
#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <vector>

#include "compiler/pipeline.h"
#include "plugins/pyasc/core/graph_builder.h"

namespace atc::python {

// A stage as it was passed through; `nodes` and `texts` only where they were asked for.
struct StageRecord {
  std::string name;
  size_t num_nodes = 0;
  pybind11::object nodes;
  std::map<std::string, std::string> texts;  // by form of dump
};

// What to keep of the way; the stage names that are wanted, and in which forms. Of "*" all stages are.
struct Capture {
  std::vector<std::string> stages;
  bool nodes = false;
  std::vector<std::string> forms;
};

class Compilation {
 public:
  // Compiles a copy of the builder's graph. `dump_path`: stages are dumped below this folder, unless it is empty.
  // The interpreter is free meanwhile. Raises Error.
  Compilation(const GraphBuilder& builder, const std::vector<std::pair<std::string, std::vector<int64_t>>>& shapes,
              const std::vector<std::pair<ValueId, std::string>>& outputs, const CompileOptions& options,
              const std::string& dump_path, const Capture& capture, const NodeSettings& settings);

  const std::string& om() const { return om_; }
  // {"memory_size", "memory_lower_bound", "memory_without_reuse", "memory_strategy", "weight_size", "streams", "events",
  //  "tasks", "dynamic"}; sizes in bytes.
  pybind11::dict Numbers() const;
  pybind11::list Nodes() const;
  pybind11::list Journal() const;
  // {pass: (matches, effects)}
  pybind11::dict Counts() const;
  pybind11::list Warnings() const;
  const std::vector<StageRecord>& stages() const { return stages_; }
  // Whether each pass library ran: text, one line each; empty where there is none.
  const std::string& plugins() const { return plugins_; }

 private:
  CompileResult result_;
  std::string om_;
  Diagnostics diagnostics_;
  std::vector<StageRecord> stages_;
  std::string plugins_;
};

}  // namespace atc::python
