#include "compiler/bisect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "compiler/ir/error_catalogue.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "compiler/pipeline.h"

namespace atc {
namespace {

constexpr double kAbsolute = 1e-4;
constexpr double kRelative = 1e-3;
// Rewrites may round at other places than the graph that they leave: that much more than without them is no fault.
constexpr double kSlack = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Distance(const Tensor& reference, const Tensor& value) {
  if (!reference.defined() || !value.defined()) return reference.defined() == value.defined() ? 0 : kInfinity;
  if (reference.dtype() == DT_STRING || reference.dtype() == DT_VARIANT) return 0;
  const std::vector<double> wanted = ToDoubles(Widen(reference));
  const std::vector<double> found = ToDoubles(Widen(value));
  if (wanted.size() != found.size()) return kInfinity;
  double largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == found[i] || (std::isnan(wanted[i]) && std::isnan(found[i]))) continue;
    const double error = std::abs(found[i] - wanted[i]) / (kAbsolute + kRelative * std::abs(wanted[i]));
    if (!(error <= largest)) largest = std::isnan(error) ? kInfinity : error;
  }
  return largest;
}

class Search {
 public:
  Search(const Graph& source, const CompileOptions& options, const std::vector<Tensor>& inputs, const std::string& opp)
      : source_(source), options_(options), inputs_(inputs), opp_root_(opp) {
    options_.progress = nullptr;
    const std::unique_ptr<Graph> plain = source.Clone();
    InferShapes(*plain);
    reference_ = Evaluate(*plain, inputs);
  }

  BisectResult Run() {
    BisectResult result;
    int64_t good = 0;
    result.without = Compare(0);
    result.with = Compare(INT64_MAX);
    result.rewrites = journal_.num_optional();
    result.limit = std::max(1.0, kSlack * result.without.largest);
    OutputError before = result.without, after = result.with;
    if (std::isfinite(result.without.largest) && result.with.largest > result.limit) {
      int64_t bad = result.rewrites;
      while (bad - good > 1) {
        const int64_t middle = good + (bad - good) / 2;
        const OutputError error = Compare(middle);
        (error.largest > result.limit ? bad : good) = middle;
        (error.largest > result.limit ? after : before) = error;
      }
      // The journal as it is with just the rewrites up to the culprit: that it comes last there is what makes it so.
      after = Compare(bad);
      for (const Journal::Entry& entry : journal_.entries()) {
        if (entry.number == bad - 1) result.culprit = entry;
      }
      result.before = before;
      result.after = after;
    }
    result.runs = runs_;
    return result;
  }

 private:
  OutputError Compare(int64_t limit) {
    ++runs_;
    CompileHooks hooks;
    hooks.rewrite_limit = limit;
    hooks.opp_root = opp_root_;
    hooks.journal = &journal_;  // filled where the compilation fails too
    try {
      Diagnostics quiet;
      const CompileResult compiled = Compile(source_.Clone(), options_, &quiet, hooks);
      return Worst(Evaluate(*compiled.model.graph, Adapted(*compiled.model.graph)));
    } catch (const Error& error) {
      if (limit == 0) throw;
      return {kInfinity, -1, MessageText(error.diagnostic())};
    }
  }

  // Inputs that the user wants as half floats are given so.
  std::vector<Tensor> Adapted(const Graph& graph) const {
    std::vector<Tensor> inputs = inputs_;
    const std::vector<NodeId> data = graph.Inputs();
    for (size_t i = 0; i < std::min(inputs.size(), data.size()); ++i) {
      const DataType dtype = graph.desc(graph.node(data[i]).outputs[0]).dtype;
      if (dtype != inputs[i].dtype() && IsHalf(dtype) && inputs[i].dtype() == DT_FLOAT) {
        inputs[i] = Narrow(inputs[i], dtype);
      }
    }
    return inputs;
  }

  OutputError Worst(const std::vector<Tensor>& outputs) const {
    if (outputs.size() != reference_.size()) return {kInfinity, -1, "the number of outputs differs"};
    OutputError worst;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const double error = Distance(reference_[i], outputs[i]);
      if (worst.output < 0 || error > worst.largest) worst = {error, static_cast<int>(i), ""};
    }
    return worst;
  }

  const Graph& source_;
  CompileOptions options_;
  const std::vector<Tensor>& inputs_;
  const std::string opp_root_;
  std::vector<Tensor> reference_;
  Journal journal_;  // of the latest compilation
  int runs_ = 0;
};

std::string Shown(const OutputError& error) {
  if (!error.fault.empty()) return error.fault;
  return fmt::format("{:.4g} of the tolerance at output {}", error.largest, error.output);
}

nlohmann::ordered_json ToJson(const OutputError& error) {
  nlohmann::ordered_json json = {{"output", error.output}, {"fault", error.fault}};
  if (std::isfinite(error.largest)) json["largest"] = error.largest;
  return json;
}

std::string Joined(const std::vector<std::string>& names) {
  return names.empty() ? "(none)" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool BisectResult::off_without() const { return !std::isfinite(without.largest); }

std::string BisectResult::Text() const {
  std::string out = fmt::format("rewrites   {} optional ones, {} compilations\n", rewrites, runs);
  out += fmt::format("none made  {}\nall made   {}\n", Shown(without), Shown(with));
  if (off_without()) return out + "An output is off without any optional rewrite: none of them is to blame.\n";
  if (!culprit) return out + fmt::format("No output is off: from {:.4g} of the tolerance on one would be.\n", limit);
  out += fmt::format("first off  rewrite {} of pass {} at stage {}: {}\n", culprit->number,
                     culprit->pass.empty() ? "(none)" : culprit->pass, culprit->stage, culprit->pattern);
  out += fmt::format("nodes      {} -> {}\n", Joined(culprit->before), Joined(culprit->after));
  out += fmt::format("before it  {}\nafter it   {}\n", Shown(before), Shown(after));
  const std::vector<PassInfo> known = KnownPasses();
  const bool own = std::any_of(known.begin(), known.end(), [&](const PassInfo& p) { return p.name == culprit->pass; });
  return out + (own ? fmt::format("Until it is mended: --optimization_switch=\"{}:off\".\n", culprit->pass)
                    : "It comes from a library of custom_fusion_passes: take that away, or mend it.\n");
}

std::string BisectResult::Json() const {
  using Object = nlohmann::ordered_json;
  Object json = {{"schema", 1}, {"rewrites", rewrites}, {"compilations", runs}, {"limit", limit}};
  json["without"] = ToJson(without);
  json["with"] = ToJson(with);
  if (culprit) {
    json["culprit"] = {{"number", culprit->number},   {"pass", culprit->pass},     {"stage", culprit->stage},
                       {"pattern", culprit->pattern}, {"before", culprit->before}, {"after", culprit->after}};
    json["error_before"] = ToJson(before);
    json["error_after"] = ToJson(after);
  } else {
    json["culprit"] = nullptr;
  }
  return json.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}

BisectResult Bisect(const Graph& source, const CompileOptions& options, const std::vector<Tensor>& inputs,
                    const std::string& opp_root) {
  return Search(source, options, inputs, opp_root).Run();
}

}  // namespace atc
