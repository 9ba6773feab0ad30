// What became of each plugin in one conversion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atc {

struct PluginReport {
  enum class Outcome { kWaiting, kRan, kFailed, kSkipped };

  // What a stream pass did with one graph: a model of unknown shapes has a root and parts.
  struct Run {
    std::string graph;
    int64_t moved = 0;         // nodes given another stream
    int64_t without_task = 0;  // nodes that a stream was asked for and that emit no task
    int64_t streams = 0;       // new stream ids that it took
  };

  struct Pass {
    std::string name;
    std::string stage;  // "kAfterAssignLogicStream", ...
    Outcome outcome = Outcome::kWaiting;
    std::string why;           // it failed or was skipped
    std::vector<Run> runs;     // of a stream pass, in order
    int64_t moved = 0;         // sums over runs
    int64_t without_task = 0;
    int64_t streams = 0;
    int64_t added = 0;         // nodes
    int64_t removed = 0;       // nodes
    int64_t replaced = 0;      // matches of patterns, and single nodes that were decomposed
  };

  struct File {
    std::string path;  // "" for passes that the program itself registers
    bool loaded = false;
    std::string why;  // it was not loaded
    std::vector<Pass> passes;
  };

  std::string root;  // the opp folder
  std::vector<File> files;

  bool empty() const { return files.empty(); }
  // One line a file and one a pass, and where a stream pass saw several graphs one for each of these.
  std::string Text() const;
  // {"root", "files": [{"path", "loaded", "why", "passes": [{"name", "stage", "outcome", ...}]}]}
  std::string Json() const;
};

}  // namespace atc
