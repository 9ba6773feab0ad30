#include <cmath>
#include <nlohmann/json.hpp>

#include "cmd/omrun/options.h"
#include "cmd/omrun/report.h"

namespace atc::omrun {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities and no NaN.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json LatencyJson(const Latency& latency) {
  return {{"min", latency.min}, {"median", latency.median}, {"p90", latency.p90},
          {"p99", latency.p99}, {"mean", latency.mean},     {"max", latency.max}};
}

Json ComparisonJson(const std::string& name, const Comparison& c) {
  const auto number = [&](double value) { return c.comparable ? Number(value) : Json(); };
  Json json = {{"name", name},
               {"match", c.match},
               {"max_abs", number(c.max_abs)},
               {"max_rel", number(c.max_rel)},
               {"cosine", number(c.cosine)},
               {"l1", number(c.l1)},
               {"l2", number(c.l2)},
               {"rtol", number(c.tolerance.rtol)},
               {"atol", number(c.tolerance.atol)},
               {"tolerance_of", c.judged_as == ACL_DT_UNDEFINED ? Json() : Json(TypeName(c.judged_as))},
               {"outside", c.outside},
               {"special", c.special},
               {"worst", Json()},
               {"reason", c.match ? Json() : Json(c.reason)}};
  if (c.worst) json["worst"] = {{"index", *c.worst}, {"value", Number(c.worst_value)}, {"reference", Number(c.worst_reference)}};
  return json;
}

Json ComparisonsJson(const RunReport& report, size_t sample) {
  Json list = Json::array();
  const auto& comparisons = report.results.comparisons()[sample];
  for (size_t i = 0; i < comparisons.size(); ++i) {
    if (comparisons[i]) list.push_back(ComparisonJson(report.signature.outputs[i].name, *comparisons[i]));
  }
  return list;
}

Json InFlightJson(const RunPlan& plan) {
  return {{"runs", plan.slots()}, {"devices", plan.devices}, {"threads", plan.threads}, {"streams", plan.streams}};
}

}  // namespace

std::string ReportJson(const RunReport& report) {
  const RunOutcome& outcome = report.outcome;
  const auto stat = [&](auto member) { return outcome.stats ? Json((*outcome.stats).*member) : Json(); };
  Json json = {
      {"model", report.options.model},
      {"device", report.device},
      {"simulated", report.simulated},
      {"cores", report.options.cores ? Json(report.options.cores) : Json()},
      {"in_flight", InFlightJson(report.plan)},
      {"samples", report.samples.all.size()},
      {"batch", report.options.batch},
      {"loop", report.options.loop},
      {"runs", outcome.runs.size()},
      {"warmup", report.plan.warmup},
      {"load_ms", outcome.load_ms},
      {"first_run_ms", outcome.first_run_ms},
      {"measured_s", outcome.measured_s},
      {"latency_ms", LatencyJson(report.latency)},
      {"percentiles_ms", Json::object()},
      {"copy_in_ms", report.h2d.max > 0 ? LatencyJson(report.h2d) : Json()},
      {"copy_out_ms", report.d2h.max > 0 ? LatencyJson(report.d2h) : Json()},
      {"throughput_per_s", report.samples_per_s > 0 ? Json(report.samples_per_s) : Json()},
      {"checked_runs", outcome.checked},
      {"peak_anon_mb", report.peak_anon_mb},
      {"arena_bytes", stat(&openatcModelStats::arenaBytes)},
      {"weight_bytes", stat(&openatcModelStats::weightBytes)},
      {"prepared_weight_bytes", stat(&openatcModelStats::preparedWeightBytes)},
      {"streams", stat(&openatcModelStats::streamCount)},
      {"events", stat(&openatcModelStats::eventCount)},
  };
  for (size_t i = 0; i < report.options.percentiles.size(); ++i) {
    json["percentiles_ms"][Json(report.options.percentiles[i]).dump()] = report.latency.wanted[i];
  }
  const auto& comparisons = report.results.comparisons();
  const bool compared = std::any_of(comparisons.begin(), comparisons.end(), [](const auto& outputs) { return !outputs.empty(); });
  if (compared && !report.samples.named) json["compare"] = ComparisonsJson(report, 0);
  if (compared && report.samples.named) {
    Json list = Json::array();
    for (size_t s = 0; s < comparisons.size(); ++s) {
      list.push_back({{"sample", report.samples.all[s].name}, {"outputs", ComparisonsJson(report, s)}});
    }
    json["compare"] = std::move(list);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string TimesJson(const RunOutcome& outcome) {
  Json list = Json::array();
  for (const MeasuredRun& run : outcome.runs) {
    const RunTimes& t = run.times;
    const auto ms = [&](uint64_t ns) {
      return ns == 0 ? Json() : Json((static_cast<double>(ns) - static_cast<double>(outcome.start_ns)) / 1e6);
    };
    list.push_back({{"slot", run.slot},
                    {"group", run.group},
                    {"startH2dMs", ms(t.start_h2d)},
                    {"endH2dMs", ms(t.end_h2d)},
                    {"startEnqMs", ms(t.start_enqueue)},
                    {"endEnqMs", ms(t.end_enqueue)},
                    {"startComputeMs", ms(t.start_compute)},
                    {"endComputeMs", ms(t.end_compute)},
                    {"startD2hMs", ms(t.start_d2h)},
                    {"endD2hMs", ms(t.end_d2h)},
                    {"h2dMs", t.h2d_ms()},
                    {"computeMs", t.compute_ms()},
                    {"d2hMs", t.d2h_ms()},
                    {"latencyMs", t.h2d_ms() + t.compute_ms() + t.d2h_ms()}});
  }
  return list.dump(1) + "\n";
}

}  // namespace atc::omrun
