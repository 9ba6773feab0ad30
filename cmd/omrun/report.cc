#include "cmd/omrun/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cmd/omrun/format_name.h"
#include "cmd/omrun/options.h"
#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {
namespace {

std::string TensorLines(const char* kind, const std::vector<TensorInfo>& infos) {
  std::string text;
  for (size_t i = 0; i < infos.size(); ++i) {
    const TensorInfo& info = infos[i];
    text += fmt::format("{} {}  {}  {} {} {}", kind, i, info.name, TypeName(info.type), RangesText(info), FormatName(info.format));
    text += info.bytes ? fmt::format(", {}{} bytes\n", info.known() ? "" : "at most ", info.bytes) : "\n";
  }
  return text;
}

std::string GearLine(const Gears& gears) {
  if (gears.kind == Gears::Kind::kNone) return "";
  constexpr const char* kKinds[] = {"", "batch", "image size", "dims"};
  std::string text = fmt::format("gears    {} of", kKinds[static_cast<int>(gears.kind)]);
  for (const Dims& offer : gears.offers) text += " " + DimsText(offer);
  return text + "\n";
}

std::string StringsText(const std::vector<std::string>& strings) {
  if (strings.empty()) return ", empty\n";
  constexpr size_t kShown = 5;
  std::string text = ": first";
  for (size_t i = 0; i < std::min(strings.size(), kShown); ++i) text += " " + Quoted(strings[i]);
  return text + (strings.size() > kShown ? " ...\n" : "\n");
}

std::string OutputLine(size_t index, const TensorInfo& info, const Tensor& tensor) {
  std::string text =
      fmt::format("result {}  {}  {} {}", index, info.name, TypeName(tensor.type), DimsText(tensor.dims));
  const ElementType* type = FindElementType(tensor.type);
  uint64_t count = 0;
  if (type && type->kind == Kind::kString) return text + StringsText(UnpackStrings(tensor));
  if (!type || !ElementCount(tensor.dims, &count)) {
    return text + fmt::format(", {} bytes\n", tensor.bytes.size());
  }
  const uint64_t scalars = ScalarsOf(*type, count);
  if (scalars == 0) return text + ", empty\n";
  double least = std::numeric_limits<double>::infinity(), largest = -least, sum = 0;
  uint64_t finite = 0;
  for (uint64_t i = 0; i < scalars; ++i) {
    const double value = ScalarAt(*type, tensor.bytes.data(), i);
    if (!std::isfinite(value)) continue;
    ++finite;
    least = std::min(least, value);
    largest = std::max(largest, value);
    sum += value;
  }
  if (finite) {
    text += fmt::format(": min {:.6g}, max {:.6g}, mean {:.6g}", least, largest, sum / static_cast<double>(finite));
  }
  if (finite < scalars) text += fmt::format("{} {} not finite", finite ? "," : ":", scalars - finite);
  text += "; first";
  constexpr uint64_t kShown = 5;
  for (uint64_t i = 0; i < std::min(scalars, kShown); ++i) text += " " + ScalarText(*type, tensor.bytes.data(), i);
  return text + (scalars > kShown ? " ...\n" : "\n");
}

std::string LatencyWords(const Latency& latency) {
  return fmt::format("min {:.3f}, median {:.3f}, p90 {:.3f}, p99 {:.3f} ms", latency.min, latency.median, latency.p90, latency.p99);
}

// "in flight": what runs at the same time, in words, since other runners mean other things by streams.
std::string InFlightText(const RunPlan& plan) {
  if (plan.slots() == 1) return "";
  const auto count = [](size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  return fmt::format("\nflight   {} at a time: {} x {} x {} each, every one with a copy of the model",
                     count(plan.slots(), "run"), count(plan.devices.size(), "device"), count(plan.threads, "thread"),
                     count(plan.streams, "stream"));
}

std::string MeasuredText(const RunReport& report) {
  const RunOutcome& outcome = report.outcome;
  std::string text = fmt::format("time     load {:.3f} ms, first run {:.3f} ms", outcome.load_ms, outcome.first_run_ms);
  if (outcome.runs.size() <= 1 && report.plan.warmup == 0) return text;
  text += fmt::format("; over {} runs after {}: {}", outcome.runs.size(), report.plan.warmup, LatencyWords(report.latency));
  for (size_t i = 0; i < report.options.percentiles.size(); ++i) {
    text += fmt::format(", percentile({}%) {:.3f} ms", report.options.percentiles[i], report.latency.wanted[i]);
  }
  text += fmt::format("\nrate     mean {:.3f}, max {:.3f} ms; throughput {:.1f} samples a second", report.latency.mean,
                      report.latency.max, report.samples_per_s);
  if (report.h2d.max > 0) text += "\ncopy in  " + LatencyWords(report.h2d);
  if (report.d2h.max > 0) text += "\ncopy out " + LatencyWords(report.d2h);
  if (outcome.checked) text += fmt::format("\nsame     the outputs of {} runs are those of the first run of each sample", outcome.checked);
  return text;
}

// Means of every N runs in turn, as they ended.
std::string AverageText(const RunReport& report) {
  const size_t n = report.options.avg_runs;
  std::string text;
  for (size_t at = 0; n > 0 && at + n <= report.outcome.runs.size(); at += n) {
    double sum = 0;
    for (size_t i = at; i < at + n; ++i) sum += report.outcome.runs[i].times.compute_ms();
    text += fmt::format("\naverage  of runs {} to {}: {:.3f} ms", at + 1, at + n, sum / static_cast<double>(n));
  }
  return text;
}

// The lines that scripts around ais_bench and msame read, under the names that they look for. A simulated device's times
// must not pass for an NPU's: a line among them says so.
std::string OtherSummaries(const RunReport& report) {
  const bool copies = report.options.display_all_summary;
  if (!report.options.summary && !copies) return "";
  const auto line = [](const char* name, const Latency& l) {
    return fmt::format("\n[INFO] {} (ms): min = {:.5f}, max = {:.5f}, mean = {:.5f}, median = {:.5f}, percentile(99%) = {:.5f}",
                       name, l.min, l.max, l.mean, l.median, l.p99);
  };
  std::string text = "\n[INFO] -----------------Performance Summary------------------";
  if (report.simulated) text += "\n[INFO] simulated device: the times below are those of this CPU, not of an NPU";
  if (copies) text += line("H2D_latency", report.h2d);
  text += line("NPU_compute_time", report.latency);
  if (copies) text += line("D2H_latency", report.d2h);
  const double mean = report.latency.mean;
  text += fmt::format("\n[INFO] throughput 1000*batchsize.mean({})/NPU_compute_time.mean({:.5f}): {:.5f}", report.options.batch,
                      mean, mean > 0 ? 1000 * report.options.batch / mean : 0.0);
  text += "\n[INFO] ------------------------------------------------------";
  const auto& runs = report.outcome.runs;
  if (!report.options.summary || runs.empty()) return text;
  const double n = static_cast<double>(runs.size());
  const double rest = n > 1 ? (mean * n - runs[0].times.compute_ms()) / (n - 1) : mean;
  return text + fmt::format("\nInference average time : {:.6f} ms\nInference average time without first time: {:.6f} ms", mean, rest);
}

constexpr size_t kMostLines = 20;  // about samples that differ

}  // namespace

void FillFigures(RunReport* report) {
  std::vector<double> compute, h2d, d2h;
  uint64_t samples = 0;
  const size_t batch = report->options.batch;
  for (const MeasuredRun& run : report->outcome.runs) {
    compute.push_back(run.times.compute_ms());
    if (run.times.end_h2d > run.times.start_h2d) h2d.push_back(run.times.h2d_ms());
    if (run.times.end_d2h > run.times.start_d2h) d2h.push_back(run.times.d2h_ms());
    samples += std::min(batch, report->samples.all.size() - run.group * batch);
  }
  report->latency = Summarize(std::move(compute), report->options.percentiles);
  report->h2d = Summarize(std::move(h2d));
  report->d2h = Summarize(std::move(d2h));
  const double seconds = report->outcome.measured_s;
  report->samples_per_s = seconds > 0 ? static_cast<double>(samples) / seconds : 0;
}

std::string SignatureText(const std::string& model, const std::string& device, const Signature& signature) {
  return fmt::format("device   {}\nmodel    {}\n", device, model) + TensorLines("input", signature.inputs) +
         TensorLines("output", signature.outputs) + GearLine(signature.gears);
}

std::string SummaryText(const RunReport& report) {
  std::string text = MeasuredText(report) + InFlightText(report.plan) + AverageText(report) + OtherSummaries(report);
  for (const std::string& sentence : report.stream_sentences) text += "\nprofile  " + sentence;
  text += fmt::format("\nmemory   peak {:.1f} MB anonymous", report.peak_anon_mb);
  if (const auto& stats = report.outcome.stats) {
    text += fmt::format("; arena {} bytes, weights {} bytes, prepared weights {} bytes\nplan     streams {}, events {}",
                        stats->arenaBytes, stats->weightBytes, stats->preparedWeightBytes, stats->streamCount,
                        stats->eventCount);
  }
  text += "\n";
  const std::vector<Tensor>& outputs = report.results.first();
  if (report.samples.named) text += fmt::format("sample   {} (1 of {})\n", report.samples.all[0].name, report.samples.all.size());
  for (size_t i = 0; i < outputs.size(); ++i) text += OutputLine(i, report.signature.outputs[i], outputs[i]);
  return text;
}

std::string ComparisonText(const RunReport& report) {
  std::string text;
  const auto& comparisons = report.results.comparisons();
  size_t shown = 0, differ = 0, compared = 0;
  for (size_t s = 0; s < comparisons.size(); ++s) {
    bool match = true;
    for (size_t i = 0; i < comparisons[s].size(); ++i) {
      if (!comparisons[s][i]) continue;
      const Comparison& c = *comparisons[s][i];
      compared += 1;
      match = match && c.match;
      if (report.samples.named && (c.match || shown++ >= kMostLines)) continue;
      text += fmt::format("compare {}  {}{}: ", i, report.samples.named ? report.samples.all[s].name + "  " : "",
                          report.signature.outputs[i].name);
      if (c.comparable) text += DistanceText(c) + ": ";
      const bool narrow = c.match && c.judged_as != ACL_DT_UNDEFINED && c.judged_as != report.signature.outputs[i].type;
      if (narrow) text += fmt::format("ok for {}, in which it is computed\n", TypeName(c.judged_as));
      else text += c.match ? "ok\n" : "MISMATCH, " + c.reason + "\n";
    }
    differ += match ? 0 : 1;
  }
  if (!report.samples.named || compared == 0) return text;
  if (shown > kMostLines) text += fmt::format("compare  and {} more outputs that differ\n", shown - kMostLines);
  for (size_t i = 0; i < report.signature.outputs.size(); ++i) {
    Comparison worst;
    std::string of;
    for (size_t s = 0; s < comparisons.size(); ++s) {
      if (i >= comparisons[s].size() || !comparisons[s][i] || !comparisons[s][i]->comparable) continue;
      const Comparison& c = *comparisons[s][i];
      if (of.empty() || c.max_abs > worst.max_abs) of = report.samples.all[s].name;
      worst.max_abs = std::max(worst.max_abs, c.max_abs);
      worst.max_rel = std::max(worst.max_rel, c.max_rel);
      worst.cosine = std::min(worst.cosine, c.cosine);
    }
    if (of.empty()) continue;
    text += fmt::format("compare {}  {}: of all samples max abs {:.6g} (in {}), max rel {:.6g}, cosine {:.9f}\n", i,
                        report.signature.outputs[i].name, worst.max_abs, of, worst.max_rel, worst.cosine);
  }
  return text + fmt::format("compare  {} of {} samples match\n", comparisons.size() - differ, comparisons.size());
}

std::string ClosingText(const RunReport& report) {
  return report.simulated ? "Results and times are those of a simulated device, not of an NPU.\n" : "";
}

}  // namespace atc::omrun
