// The compiler: a graph goes in, an om comes out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/dump/dumper.h"
#include "compiler/ir/error.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/journal.h"
#include "compiler/ir/options.h"
#include "compiler/om/om_model.h"
#include "plugins/sdk/custom_passes.h"

namespace atc {

// How a conversion is watched; all of it may be empty.
struct StageTime {
  std::string stage;
  double seconds = 0;  // of the stage alone, without dumps
};

struct CompileHooks {
  // Where and what to dump after each stage; the default dumps nothing.
  DumpEnvironment dump;
  // Dumps for `dump`, whose files may still be being written when Compile returns; null: they are there then.
  Dumper* dumper = nullptr;
  // After each stage, with GE's name of it, which is also that of its dump, and the graph that is dumped.
  std::function<void(std::string_view stage, const Graph& graph)> after_stage;
  // Optional rewrites from this number on are not made; see Journal.
  int64_t rewrite_limit = INT64_MAX;
  // Graph::Verify after every stage.
  bool verify = false;
  // The folder whose vendors/*/custom_fusion_passes/*.so are loaded; empty: ASCEND_OPP_PATH, else the installation's.
  std::string opp_root;
  // Filled with the rewrites made and the time of each stage, also where Compile throws (then the last stage is the one that
  // did not end); may be null.
  Journal* journal = nullptr;
  std::vector<StageTime>* stage_times = nullptr;
  // Filled with what became of each plugin, also where Compile throws; may be null.
  PluginReport* plugins = nullptr;
};

struct CompileResult {
  OmModel model;
  Journal journal;
  std::vector<StageTime> stage_times;
  // Bytes: the smallest that any plan could need, as far as is known, and what no sharing would take.
  int64_t memory_lower_bound = 0;
  bool memory_lower_bound_exact = false;
  int64_t memory_without_reuse = 0;
  std::string memory_strategy;
  // Waits between streams: edges, of which the plain rule makes an event each, and events under GE's rule.
  int32_t cross_stream_edges = 0;
  int32_t ge_events = 0;
};

// Throws Error E20101 when there is no chip of that name; Compile checks it too, but only after the model was read.
void CheckSocVersion(const std::string& soc_version);
// The same, and when the chip lacks the type that the precision mode computes in, which the message calls `mode`, a value of
// the flag `flag`.
void CheckTarget(const CompileOptions& options, const std::string& flag = "", const std::string& mode = "");

// Runs every stage on a parsed graph (see pipeline.cc, whose table is the compiler in one look).
// Throws Error: E20101 (soc_version, precision_mode), E10001 (output_type), E10055, E13028 to E13030 (a user pass, named), E14001 (a node
// whose shapes do not fit).
CompileResult Compile(std::unique_ptr<Graph> graph, const CompileOptions& options, Diagnostics* diagnostics,
                      const CompileHooks& hooks = {});

// A rewriting pass that --fusion_switch_file and --optimization_switch can name.
struct PassInfo {
  std::string_view name;
  FusionKind kind;
  OoLevel level;
};
// All of them, each once, in the order of their first run.
std::vector<PassInfo> KnownPasses();

// The stages' names, in order.
std::vector<std::string_view> StageNames();

// Where the om of `model` goes: "<output>.om", or "<output>_<os>_<cpu>.om" where shapes are unknown (inserted before
// the first ".om" of the file name), host_env_os and host_env_cpu defaulting to this machine's.
std::string OmPath(const OmModel& model, const CompileOptions& options);

// Writes the om to OmPath, whole or not at all; returns the path.
std::string WriteOmFile(const OmModel& model, const CompileOptions& options);

// Writes the graph as parsed to "<output>_original.om": without tasks and memory, for viewers. Returns the path.
std::string WriteOriginalOm(std::unique_ptr<Graph> graph, const CompileOptions& options);

}  // namespace atc
