// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/compare.h"
#include "cmd/omrun/tensor_file.h"

namespace atc::omrun {

struct Options {
  std::string model;
  std::vector<std::string> inputs;  // NAME=FILE or FILE
  std::vector<std::string> shapes;  // NAME=DIMS or DIMS
  uint64_t seed = 0;
  bool seed_given = false;
  std::string output;  // folder; empty: none
  OutputFormat format = OutputFormat::kNpy;
  std::string compare;  // folder; empty: none
  Limits limits;
  bool symbols = false;
  double duration = 0;  // seconds; 0: as many runs as --loop says
  std::vector<double> percentiles;
  uint32_t loop = 1;
  std::optional<uint32_t> warmup;
  uint32_t cores = 0;
  std::string json;  // file; empty: none
  std::string profile;  // folder; empty: none
  std::string backend;

  // Runs before those that are measured: --warmup, else 1 when several are measured.
  uint32_t warmups() const { return warmup.value_or(loop > 1 ? 1 : 0); }
};

// Fills `options`, or returns the status to exit with after printing help (0) or what is wrong (1).
std::optional<int> ParseOptions(int argc, char** argv, Options* options);

}  // namespace atc::omrun
