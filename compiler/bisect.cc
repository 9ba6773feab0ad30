#include "compiler/bisect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "compiler/io/utf8.h"
#include "compiler/ir/error_catalogue.h"
#include "compiler/ops/evaluator.h"
#include "compiler/ops/inference.h"
#include "compiler/output_distance.h"
#include "compiler/pipeline.h"

namespace atc {
namespace {

// Rewrites may round at other places than the graph that they leave: that much more than without them is no fault.
constexpr double kSlack = 4;
// What lies between two quantised values may become either of them: a difference of that much, in each of the two
// models, is no fault.
constexpr double kSteps = 2;
// So near to the middle between two values, relatively, the order of sums decides.
constexpr float kNearMiddle = 1e-6f;
constexpr std::string_view kQuantizers[] = {"onnx::QuantizeLinear", "onnx::DynamicQuantizeLinear", "AscendQuant"};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Multiplies what is quantised by `factor`, in nested graphs too; how often.
int Nudge(Graph& graph, float factor) {
  int nudged = 0;
  for (const NodeId id : graph.TopologicalOrder()) {
    Node& node = graph.node(id);
    for (Subgraph& nested : node.subgraphs) nudged += Nudge(*nested.graph, factor);
    const bool quantizes =
        std::find(std::begin(kQuantizers), std::end(kQuantizers), node.type().str()) != std::end(kQuantizers);
    if (!quantizes || graph.desc(node.inputs[0]).dtype != DT_FLOAT) continue;
    const ValueId value = node.inputs[0];
    const std::string name = node.name + "/nudged";
    const ValueId by = graph.AddConst(name + "_by", Tensor::Scalar(factor));
    const Node& moved = graph.Add("Mul", name, {value, by});
    graph.SetInput(graph.node(id), 0, moved.outputs[0]);
    ++nudged;
  }
  return nudged;
}

class Search {
 public:
  Search(const Graph& source, const CompileOptions& options, const std::vector<Tensor>& inputs, const std::string& opp)
      : source_(source), options_(options), inputs_(inputs), opp_root_(opp) {
    options_.progress = nullptr;
    const std::unique_ptr<Graph> plain = source.Clone();
    InferShapes(*plain);
    reference_ = Evaluate(*plain, inputs);
    for (const float factor : {1 + kNearMiddle, 1 - kNearMiddle}) {
      const std::unique_ptr<Graph> nudged = plain->Clone();
      if (Nudge(*nudged, factor) == 0) break;
      InferShapes(*nudged);
      step_ = std::max(step_, Worst(Evaluate(*nudged, inputs)).largest);
    }
    if (!std::isfinite(step_)) step_ = 0;
  }

  BisectResult Run() {
    BisectResult result;
    for (const Tensor& output : reference_) result.not_finite += CountNonFinite(output);
    result.without = Compare(0);
    result.with = Compare(INT64_MAX);
    result.rewrites = journal_.num_optional();
    const double largest = result.without.largest;
    if (largest > 1 && options_.precision_mode != PrecisionMode::kKeepOrigin) SearchInOwnTypes(&result);
    if (!result.culprit && std::isfinite(largest)) {
      result.limit = Limit(largest);
      if (result.with.largest > result.limit) Bracket(result.without, result.with, &result);
    }
    result.runs = runs_;
    return result;
  }

 private:
  // From where on an output is off, where without rewrites it is off by `largest`.
  double Limit(double largest) const { return std::max({1.0, kSlack * largest, kSteps * step_}); }

  // What half floats take may hide a wrong rewrite, or look like one: without them both can be told apart.
  void SearchInOwnTypes(BisectResult* result) {
    const CompileOptions wanted = options_;
    options_.precision_mode = PrecisionMode::kKeepOrigin;
    options_.precision = {};
    try {
      result->own_types = Compare(0);
    } catch (const Error& error) {
      result->own_types = OutputError{kInfinity, -1, MessageText(error.diagnostic())};
    }
    if (result->own_types->largest <= 1) {
      const OutputError with = Compare(INT64_MAX);
      const int64_t rewrites = journal_.num_optional();
      if (with.largest > Limit(result->own_types->largest)) {
        result->limit = Limit(result->own_types->largest);
        result->in_own_types = true;
        result->rewrites = rewrites;
        Bracket(*result->own_types, with, result);
      }
    }
    options_ = wanted;
  }

  // Between no rewrite and all of them: the first with which an output is off.
  void Bracket(OutputError before, OutputError after, BisectResult* result) {
    int64_t good = 0, bad = result->rewrites;
    while (bad - good > 1) {
      const int64_t middle = good + (bad - good) / 2;
      const OutputError error = Compare(middle);
      (error.largest > result->limit ? bad : good) = middle;
      (error.largest > result->limit ? after : before) = error;
    }
    // The journal as it is with just the rewrites up to the culprit: that it comes last there is what makes it so.
    result->before = before;
    result->after = Compare(bad);
    for (const Journal::Entry& entry : journal_.entries()) {
      if (entry.number == bad - 1) result->culprit = entry;
    }
  }

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
      const double error = OutputDistance(reference_[i], outputs[i]);
      if (worst.output < 0 || error > worst.largest) worst = {error, static_cast<int>(i), ""};
    }
    return worst;
  }

  const Graph& source_;
  CompileOptions options_;
  const std::vector<Tensor>& inputs_;
  const std::string opp_root_;
  std::vector<Tensor> reference_;
  double step_ = 0;  // what the nearest quantised values on the other side take
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
  return names.empty() ? "(none)" : OneLine(fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

bool BisectResult::off_without() const { return !(without.largest <= 1); }

// Where no rewrite is to blame.
std::string BisectResult::Acquittal() const {
  if (!off_without()) return fmt::format("No output is off: from {:.4g} of the tolerance on one would be.\n", limit);
  std::string out = "An output is off without any optional rewrite: none of them is to blame";
  if (!own_types) return out + ". A required one, an operator, or how the model was read, is.\n";
  if (own_types->largest > 1) {
    return out +
           ", nor are the types of --precision_mode: it is off in the types of the model too. A required rewrite, an "
           "operator, or how the model was read, is.\n";
  }
  return out +
         ". The types of --precision_mode are: in the types of the model no output is off. --precision_report tells "
         "which nodes compute in which, and which is the first whose values can leave them.\n";
}

std::string BisectResult::Text() const {
  std::string out =
      fmt::format("rewrites   {} optional one{}, {} compilations\n", rewrites, rewrites == 1 ? "" : "s", runs);
  out += fmt::format("none made  {}\nall made   {}\n", Shown(without), Shown(with));
  if (own_types) out += fmt::format("own types  {}, none made\n", Shown(*own_types));
  if (not_finite > 0) {
    out += fmt::format(
        "note       {} elements of the reference are NaN or infinite, which tells little: give other "
        "--sample_inputs\n",
        not_finite);
  }
  if (!culprit) return out + Acquittal();
  if (in_own_types)
    out += "searched   in the types of the model, since those of --precision_mode take more than the tolerance\n";
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
  json["own_types"] = own_types ? Object(ToJson(*own_types)) : Object();
  json["in_own_types"] = in_own_types;
  json["not_finite"] = not_finite;
  json["verdict"] = culprit                                ? "rewrite"
                    : !off_without()                       ? "none"
                    : own_types && own_types->largest <= 1 ? "types"
                                                           : "elsewhere";
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
