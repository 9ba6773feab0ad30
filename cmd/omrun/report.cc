#include "cmd/omrun/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cmd/omrun/string_tensor.h"

namespace atc::omrun {
namespace {

using Json = nlohmann::ordered_json;

struct FormatName {
  aclFormat format;
  const char* name;
};
constexpr FormatName kFormatNames[] = {
    {ACL_FORMAT_NCHW, "NCHW"},
    {ACL_FORMAT_NHWC, "NHWC"},
    {ACL_FORMAT_ND, "ND"},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0"},
    {ACL_FORMAT_HWCN, "HWCN"},
    {ACL_FORMAT_NDHWC, "NDHWC"},
    {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {ACL_FORMAT_NCDHW, "NCDHW"},
    {ACL_FORMAT_NC, "NC"},
    {ACL_FORMAT_NCL, "NCL"},
};

std::string FormatText(aclFormat format) {
  const auto* found = std::find_if(std::begin(kFormatNames), std::end(kFormatNames),
                                   [&](const FormatName& f) { return f.format == format; });
  return found == std::end(kFormatNames) ? fmt::format("format {}", static_cast<int>(format)) : found->name;
}

// As DimsText, open dims as their range: "[1~8, 3, ?]".
std::string RangesText(const TensorInfo& info) {
  std::string text = "[";
  for (size_t i = 0; i < info.dims.size(); ++i) {
    if (i > 0) text += ", ";
    if (info.dims[i] >= 0) {
      text += fmt::format("{}", info.dims[i]);
    } else if (i < info.most.size() && info.most[i] >= 0) {
      text += fmt::format("{}~{}", info.least[i], info.most[i]);
    } else {
      text += "?";
    }
  }
  return text + "]";
}

std::string TensorLines(const char* kind, const std::vector<TensorInfo>& infos) {
  std::string text;
  for (size_t i = 0; i < infos.size(); ++i) {
    const TensorInfo& info = infos[i];
    const bool any_rank = info.dims.size() == 1 && info.dims[0] == -2;
    text += fmt::format("{} {}  {}  {} {} {}", kind, i, info.name, TypeName(info.type),
                        any_rank ? "[...]" : RangesText(info), FormatText(info.format));
    text += info.bytes ? fmt::format(", {}{} bytes\n", info.known() ? "" : "at most ", info.bytes) : "\n";
  }
  return text;
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

// JSON has no infinities and no NaN.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

std::string SignatureText(const std::string& model, const std::string& device, const Signature& signature) {
  return fmt::format("device   {}\nmodel    {}\n", device, model) + TensorLines("input", signature.inputs) +
         TensorLines("output", signature.outputs);
}

std::string SummaryText(const RunReport& report, const std::vector<Tensor>& outputs) {
  std::string text = fmt::format("time     load {:.3f} ms, first run {:.3f} ms", report.load_ms, report.first_run_ms);
  if (report.loop > 1 || report.warmup > 0) {
    text +=
        fmt::format("; over {} runs after {}: min {:.3f}, median {:.3f}, p90 {:.3f}, p99 {:.3f} ms", report.loop,
                    report.warmup, report.latency.min, report.latency.median, report.latency.p90, report.latency.p99);
    for (size_t i = 0; i < report.percentiles.size(); ++i) {
      text += fmt::format(", percentile({}%) {:.3f} ms", report.percentiles[i], report.latency.wanted[i]);
    }
    if (report.latency.mean > 0) {
      text += fmt::format("\nrate     mean {:.3f}, max {:.3f} ms; throughput {:.1f} runs a second", report.latency.mean, report.latency.max,
                          1000 / report.latency.mean);
    }
  }
  for (const std::string& sentence : report.stream_sentences) text += "\nprofile  " + sentence;
  text += fmt::format("\nmemory   peak {:.1f} MB anonymous", report.peak_anon_mb);
  if (report.stats) {
    text += fmt::format("; arena {} bytes, weights {} bytes, prepared weights {} bytes\nplan     streams {}, events {}",
                        report.stats->arenaBytes, report.stats->weightBytes, report.stats->preparedWeightBytes,
                        report.stats->streamCount, report.stats->eventCount);
  }
  text += "\n";
  for (size_t i = 0; i < outputs.size(); ++i) text += OutputLine(i, report.outputs[i], outputs[i]);
  return text;
}

std::string ComparisonText(const RunReport& report) {
  std::string text;
  for (size_t i = 0; i < report.comparisons.size(); ++i) {
    const Comparison& c = report.comparisons[i];
    text += fmt::format("compare {}  {}: ", i, report.outputs[i].name);
    if (c.comparable)
      text += fmt::format("max abs {:.6g}, max rel {:.6g}, cosine {:.9f}: ", c.max_abs, c.max_rel, c.cosine);
    text += c.match ? "ok\n" : "MISMATCH, " + c.reason + "\n";
  }
  return text;
}

std::string ClosingText(const RunReport& report) {
  return report.simulated ? "Results and times are those of a simulated device, not of an NPU.\n" : "";
}

std::string ReportJson(const RunReport& report) {
  const auto stat = [&](auto member) { return report.stats ? Json((*report.stats).*member) : Json(); };
  Json json = {
      {"model", report.model},
      {"device", report.device},
      {"simulated", report.simulated},
      {"cores", report.cores ? Json(report.cores) : Json()},
      {"loop", report.loop},
      {"warmup", report.warmup},
      {"load_ms", report.load_ms},
      {"first_run_ms", report.first_run_ms},
      {"latency_ms",
       {{"min", report.latency.min},
        {"median", report.latency.median},
        {"p90", report.latency.p90},
        {"p99", report.latency.p99},
        {"mean", report.latency.mean},
        {"max", report.latency.max}}},
      {"throughput_per_s", report.latency.mean > 0 ? nlohmann::ordered_json(1000 / report.latency.mean) : nlohmann::ordered_json()},
      {"peak_anon_mb", report.peak_anon_mb},
      {"arena_bytes", stat(&openatcModelStats::arenaBytes)},
      {"weight_bytes", stat(&openatcModelStats::weightBytes)},
      {"prepared_weight_bytes", stat(&openatcModelStats::preparedWeightBytes)},
      {"streams", stat(&openatcModelStats::streamCount)},
      {"events", stat(&openatcModelStats::eventCount)},
  };
  if (!report.comparisons.empty()) {
    Json list = Json::array();
    for (size_t i = 0; i < report.comparisons.size(); ++i) {
      const Comparison& c = report.comparisons[i];
      const auto number = [&](double value) { return c.comparable ? Number(value) : Json(); };
      list.push_back({{"name", report.outputs[i].name},
                      {"match", c.match},
                      {"max_abs", number(c.max_abs)},
                      {"max_rel", number(c.max_rel)},
                      {"cosine", number(c.cosine)},
                      {"outside", c.outside},
                      {"special", c.special},
                      {"reason", c.match ? Json() : Json(c.reason)}});
    }
    json["compare"] = std::move(list);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace atc::omrun
