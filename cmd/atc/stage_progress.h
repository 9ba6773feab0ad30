// "stage 7 of 33: AfterInfershape, 120 nodes": how far a conversion is, for a terminal and the log.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "cmd/atc/run.h"
#include "compiler/ir/graph.h"

namespace atc::cli {

class StageProgress {
 public:
  StageProgress(const Run& run, size_t stages) : run_(run), stages_(stages) {}

  void Begin(std::string_view stage) {
    ++number_;
    const std::string nodes = nodes_ > 0 ? fmt::format(", {} nodes", nodes_) : "";
    run_.Step(fmt::format("stage {} of {}: {}{}", number_, stages_, stage, nodes));
  }
  // The graph as a stage has left it.
  void See(const Graph& graph) { nodes_ = graph.num_nodes(); }

 private:
  const Run& run_;
  size_t stages_;
  size_t number_ = 0;
  size_t nodes_ = 0;
};

}  // namespace atc::cli
