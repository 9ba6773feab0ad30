#include "parsers/tensorflow/leftovers.h"

#include <algorithm>

#include "parsers/tensorflow/scope_match.h"

namespace atc::tf_parser {
namespace {

// Sorted.
constexpr std::string_view kWatchers[] = {
    "Assert",         "AudioSummary",  "AudioSummaryV2",  "CheckNumerics",    "CheckNumericsV2",
    "DebugIdentity",  "HistogramSummary", "ImageSummary", "MergeSummary",     "Print",
    "PrintV2",        "ScalarSummary", "TensorSummary",   "TensorSummaryV2",  "WriteAudioSummary",
    "WriteHistogramSummary", "WriteImageSummary", "WriteScalarSummary", "WriteSummary",
};

class Dropout {
 public:
  explicit Dropout(const ScopeMatch& match) : match_(match) {}

  // The data that the node drops elements of; nothing when it does something else.
  std::optional<Port> Match(const SourceNode& node) const {
    if (node.op == "Mul" && node.inputs.size() == 2) {
      const auto parts = match_.Operands(node, [&](Port port) { return IsMask(port); });
      return parts ? Unscaled(parts->second) : std::nullopt;
    }
    if (node.op == "SelectV2" && node.inputs.size() == 3 && IsKept(match_.In(node, 0)) &&
        match_.Scalar(node.inputs[2]) == 0.0) {
      return Unscaled(match_.In(node, 1));
    }
    return std::nullopt;
  }

 private:
  // x times or over a number that is the same for all elements.
  std::optional<Port> Unscaled(Port port) const {
    const SourceNode* scaled = match_.Is(port, {"Mul", "RealDiv"}, 2);
    if (scaled == nullptr) return std::nullopt;
    if (IsNumber(match_.In(*scaled, 1))) return match_.In(*scaled, 0);
    if (scaled->op == "Mul" && IsNumber(match_.In(*scaled, 0))) return match_.In(*scaled, 1);
    return std::nullopt;
  }

  // A constant, or the rate that callers may give, itself or computed with.
  bool IsNumber(Port port) const {
    const SourceNode& node = match_.At(port);
    if (match_.Scalar(port)) return true;
    if (node.op == "PlaceholderWithDefault") return match_.Scalar(node.inputs[0]).has_value();
    const bool computed = (node.op == "RealDiv" || node.op == "Sub") && node.inputs.size() == 2;
    return computed && IsNumber(match_.In(node, 0)) && IsNumber(match_.In(node, 1));
  }

  bool IsUniform(Port port) const {
    if (match_.Is(port, {"RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"})) return true;
    // Moved into a range.
    const SourceNode* moved = match_.Is(port, {"Add", "AddV2", "Mul"}, 2);
    return moved != nullptr && ((IsNumber(match_.In(*moved, 1)) && IsUniform(match_.In(*moved, 0))) ||
                                (IsNumber(match_.In(*moved, 0)) && IsUniform(match_.In(*moved, 1))));
  }

  bool IsKept(Port port) const {
    const SourceNode* node = match_.Is(port, {"GreaterEqual"}, 2);
    return node != nullptr && IsUniform(match_.In(*node, 0)) && IsNumber(match_.In(*node, 1));
  }

  bool IsMask(Port port) const {
    if (const SourceNode* cast = match_.Is(port, {"Cast"})) return IsKept(match_.In(*cast, 0));
    const SourceNode* floor = match_.Is(port, {"Floor"});
    return floor != nullptr && IsUniform(match_.In(*floor, 0));
  }

  const ScopeMatch& match_;
};

}  // namespace

bool IsWatcher(std::string_view op) {
  return std::find(std::begin(kWatchers), std::end(kWatchers), op) != std::end(kWatchers);
}

void RemoveDropout(SourceGraph& graph, ModelState& model) {
  ScopeMatch match(graph, model);
  const auto count = static_cast<uint32_t>(graph.nodes.size());
  for (uint32_t i = 0; i < count; ++i) {
    const auto x = Dropout(match).Match(graph.nodes[i]);
    if (!x) continue;
    match.Redirect({i, 0}, *x);
    ++model.removed["Dropout"];
  }
}

}  // namespace atc::tf_parser
