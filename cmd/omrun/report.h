// What a run has to say: on the terminal and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/compare.h"
#include "cmd/omrun/session.h"
#include "cmd/omrun/statistics.h"

namespace atc::omrun {

struct RunReport {
  std::string model;
  std::string device;
  bool simulated = false;
  double load_ms = 0, first_run_ms = 0;
  uint32_t loop = 1, warmup = 0, cores = 0;
  Latency latency;
  double measured_s = 0;  // from the first measured run to the end of the last
  std::vector<double> percentiles;  // that latency.wanted holds
  std::vector<std::string> stream_sentences;  // of a profile
  double peak_anon_mb = 0;
  std::optional<openatcModelStats> stats;
  std::vector<TensorInfo> outputs;
  std::vector<Comparison> comparisons;  // empty without --compare
};

// One line each for device, model, inputs and outputs.
std::string SignatureText(const std::string& model, const std::string& device, const Signature& signature);

// Times, memory, and per output shape, type, least, largest and mean of the finite elements, how many are not finite,
// and the first elements.
std::string SummaryText(const RunReport& report, const std::vector<Tensor>& outputs);

// Per output the distances and "ok" or why not.
std::string ComparisonText(const RunReport& report);

// The last line: what the figures are not. Empty on a real device.
std::string ClosingText(const RunReport& report);

// The contents of --json. Figures that the device cannot tell are null.
std::string ReportJson(const RunReport& report);

}  // namespace atc::omrun
