// What a run has to say: on the terminal and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/omrun/results.h"
#include "cmd/omrun/runner.h"
#include "cmd/omrun/statistics.h"

namespace atc::omrun {

struct RunReport {
  RunReport(const Options& options, const RunPlan& plan, const Signature& signature, const Samples& samples,
            const Results& results, const RunOutcome& outcome)
      : options(options), plan(plan), signature(signature), samples(samples), results(results), outcome(outcome) {}

  const Options& options;
  const RunPlan& plan;
  const Signature& signature;
  const Samples& samples;
  const Results& results;
  const RunOutcome& outcome;
  std::string device;
  bool simulated = false;
  Latency latency;             // of the executions
  Latency h2d, d2h;            // of the copies that took place; all zero for none
  double samples_per_s = 0;    // by the wall clock, of the measured runs
  double peak_anon_mb = 0;
  std::vector<std::string> stream_sentences;  // of a profile
};

// Sets the figures that follow from the runs.
void FillFigures(RunReport* report);

// One line each for device, model, inputs, outputs and gears.
std::string SignatureText(const std::string& model, const std::string& device, const Signature& signature);

// Times, memory, and per output of the first sample shape, type, least, largest and mean of the finite elements, how many
// are not finite, and the first elements.
std::string SummaryText(const RunReport& report);

// Per output the distances and "ok" or why not; of many samples those that differ and a line for each output.
std::string ComparisonText(const RunReport& report);

// The last line: what the figures are not. Empty on a real device.
std::string ClosingText(const RunReport& report);

// The contents of --json. Figures that the device cannot tell are null.
std::string ReportJson(const RunReport& report);

// The contents of --export_times: of each run begin and end of its parts, in milliseconds from the first measured run.
std::string TimesJson(const RunOutcome& outcome);

}  // namespace atc::omrun
