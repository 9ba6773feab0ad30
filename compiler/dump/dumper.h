// Dumps of the graph as it stands after a stage, in the three forms and under the names that GE's users know.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/dump/stage_filter.h"
#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"

namespace atc {

class DumpWriter;
class SnapshotTaker;

inline constexpr size_t kNumForms = 3;  // of dumps: see forms.h

// The environment variables that steer dumps; empty where they are not set.
struct DumpEnvironment {
  std::string dump_ge_graph;  // "1": everything; "2": no values of constants; "3": also no attributes; else: no dumps
  std::string dump_graph_level;   // see StageFilter
  std::string dump_graph_format;  // "ge_proto|onnx|readable" in any case; empty: the first two
  std::string dump_graph_path;    // a folder
  std::string npu_collect_path;   // a folder, before dump_graph_path
  std::string ascend_work_path;   // a folder, after dump_graph_path
  int pid = 0;                    // for the names of folders
  int device_id = 0;
  bool single_op = false;         // of a single operator: names have "_aclop" after the number

  static DumpEnvironment OfProcess();
};

// Files are written by threads of their own, from snapshots of the graph, while the conversion goes on.
class Dumper {
 public:
  // What cannot be written becomes a warning in `diagnostics` (may be null), once; the conversion goes on without
  // dumps.
  explicit Dumper(DumpEnvironment environment, Diagnostics* diagnostics = nullptr);
  // Waits for the files.
  ~Dumper();

  // Whether this stage is dumped at all.
  bool Wants(std::string_view stage) const;
  // Writes the files of this stage, if it is wanted: ge_onnx_<number>_graph_<graph_id>_<stage>.pbtxt,
  // ge_proto_<number>_graph_<graph_id>_<stage>.txt, ge_readable_..., numbered for each form from 0 on in this process.
  // `changed`: since the call before. Where nothing has changed since the last files, they are copied.
  void Dump(std::string_view stage, const Graph& graph, bool changed = true, int graph_id = 0);
  // Returns when all files are there: before code runs that may end the process.
  void Wait();

 private:
  void Begin();

  DumpEnvironment environment_;
  StageFilter filter_;
  Diagnostics* diagnostics_;
  int detail_ = 0;  // 1 to 3; 0: off
  unsigned forms_ = 0;
  bool same_ = false;               // as in the last files
  std::optional<Diagnostic> fault_;  // of a graph that has no snapshot
  // Set from the first dump on.
  std::string folder_;
  std::unique_ptr<SnapshotTaker> taker_;
  std::unique_ptr<DumpWriter> writer_;
};

}  // namespace atc
