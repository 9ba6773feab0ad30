// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/compare.h"
#include "cmd/omrun/feed.h"
#include "cmd/omrun/signature.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {

struct Options {
  std::string model;
  bool symbols = false, debug = false;

  std::vector<std::string> inputs;  // [NAME=]SOURCE
  std::string manifest;             // file; empty: none
  std::vector<std::string> shapes;  // [NAME=]DIMS
  std::string shape_range;
  bool zeros = false;       // instead of random data
  bool fill_given = false;  // inputs may go without a source
  uint64_t seed = 0;
  uint32_t batch = 1;  // samples a run
  GearChoice gear;
  bool gear_auto = false;
  std::vector<uint64_t> output_sizes;

  std::string output;  // folder; empty: none
  OutputFormat format = OutputFormat::kNpy;
  uint32_t output_batch_axis = 0;
  std::string json, export_times, export_profile;  // files; empty: none
  std::string profile;                             // folder; empty: none
  bool print_profile = false, print_layers = false;
  std::string export_layers;  // file; empty: none
  std::string dump_tensors;  // folder; empty: none
  std::vector<std::string> dump_nodes;
  std::string dump_on_error;  // folder; empty: none

  std::vector<std::string> compare;        // folders and [NAME=]FILE
  std::vector<std::string> compare_dumps;  // two folders, or none
  Limits limits;

  uint32_t loop = 1;
  double duration = 0;  // seconds; 0: as many runs as --loop says
  std::optional<uint32_t> warmup;
  double warmup_ms = 0;
  uint32_t threads = 1, streams = 1;
  bool transfers = false, check_runs = false, display_all_summary = false, spin = false;
  std::vector<double> percentiles;
  uint32_t avg_runs = 0;
  int32_t timeout_ms = 0;  // 0: none
  Keep keep = Keep::kSome;
  double idle_ms = 0, start_delay_ms = 0;
  bool summary = false;             // as msame and ais_bench print it
  std::vector<std::string> notes;   // on flags that have nothing to act on here

  std::vector<int32_t> devices = {0};
  uint32_t cores = 0;
  std::string backend, acl_config;
  bool fall_back = false;  // to the simulated device

  // Runs before those that are measured: --warmup, else 1 when several are measured.
  uint32_t warmups() const { return warmup.value_or(loop > 1 || duration > 0 ? 1 : 0); }
  bool profiled() const { return !profile.empty() || print_profile || !export_profile.empty(); }
};

// Fills `options`, or returns the status to exit with after printing help (0) or what is wrong (1).
std::optional<int> ParseOptions(int argc, char** argv, Options* options);

}  // namespace atc::omrun
