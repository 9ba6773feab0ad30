// Conditions: what follows one output of a Switch runs only where its predicate is that output's, and a Merge joins the
// sides. Each Merge becomes an If, or behind a _SwitchN, which has a side for each number, a Case, whose graphs hold what
// its sides need.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/ir/error.h"
#include "parsers/tensorflow/functionalize.h"

namespace atc::tf_parser {
namespace {

// Under which predicates something runs, and which side of each it is on.
using Guards = std::map<Port, uint32_t>;

bool IsNumbered(const SourceNode& node) { return node.op == "_SwitchN"; }
bool IsSwitch(const SourceNode& node) { return node.op == "Switch" || node.op == "RefSwitch" || IsNumbered(node); }
bool IsMerge(const SourceNode& node) { return node.op == "Merge" || node.op == "RefMerge"; }

[[noreturn]] void Fail(const SourceNode& node, const std::string& reason) {
  throw Error("E13014",
              {{"value", "of a condition"}, {"parameter", "The " + node.op}, {"opname", node.name}, {"reason", reason}},
              "Export the model with control flow of version 2.");
}

class Conditions {
 public:
  explicit Conditions(SourceGraph& graph) : graph_(graph), guards_(graph.nodes.size()) {}

  void Run() {
    bool any = false;
    for (const SourceNode& node : graph_.nodes) any |= IsMerge(node);
    if (!any) return;
    for (const uint32_t number : OrderWithControls()) {
      for (Port& input : graph_.nodes[number].inputs) input = Current(input);
      if (IsMerge(graph_.nodes[number])) {
        Convert(number);
      } else {
        Join(number);
      }
    }
    for (Port& result : graph_.results) result = Current(result);
  }

 private:
  // Control edges say on which side of a condition a constant is.
  std::vector<uint32_t> OrderWithControls() const {
    SourceGraph edges;
    edges.nodes.resize(graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      edges.nodes[i].name = graph_.nodes[i].name;
      edges.nodes[i].inputs = graph_.nodes[i].inputs;
      for (const uint32_t control : graph_.nodes[i].controls) edges.nodes[i].inputs.push_back({control, 0});
    }
    return edges.OrderFor(graph_.results);
  }

  Port Current(const Port& port) const {
    const auto it = replaced_.find(port);
    return it == replaced_.end() ? port : it->second;
  }

  // A predicate under its first name: what passes it on unchanged does not make it another.
  Port Predicate(Port port) const {
    port = Current(port);
    while (graph_.nodes[port.node].op == "Identity") port = Current(graph_.nodes[port.node].inputs[0]);
    // The predicate switched by itself.
    if (IsSwitch(graph_.nodes[port.node]) && graph_.nodes[port.node].inputs[0] == graph_.nodes[port.node].inputs[1]) {
      return Predicate(graph_.nodes[port.node].inputs[1]);
    }
    return port;
  }

  Guards GuardsOf(const Port& port) const {
    Guards guards = guards_[port.node];
    const SourceNode& node = graph_.nodes[port.node];
    if (IsSwitch(node)) guards[Predicate(node.inputs[1])] = port.output;
    return guards;
  }

  void Join(uint32_t number) {
    Guards& guards = guards_[number];
    for (const Port& input : graph_.nodes[number].inputs) guards.merge(GuardsOf(input));
    for (const uint32_t control : graph_.nodes[number].controls) {
      if (IsMerge(graph_.nodes[control])) continue;
      guards.merge(Guards(guards_[control]));
    }
  }

  // The side of `predicate` that each input of a Merge is on; empty when the predicate does not tell them apart. One side
  // may be a constant, which nothing guards.
  static std::vector<uint32_t> Sides(const std::vector<Guards>& inputs, const Port& predicate) {
    const auto count = static_cast<uint32_t>(inputs.size());
    std::vector<uint32_t> sides(count, count), taken(count, count);
    uint32_t open = count;
    for (uint32_t i = 0; i < count; ++i) {
      const auto it = inputs[i].find(predicate);
      if (it == inputs[i].end()) {
        if (open != count) return {};
        open = i;
        continue;
      }
      if (it->second >= count || taken[it->second] != count) return {};
      sides[i] = it->second;
      taken[it->second] = i;
    }
    if (open != count) sides[open] = static_cast<uint32_t>(std::find(taken.begin(), taken.end(), count) - taken.begin());
    return sides;
  }

  void Convert(uint32_t number) {
    const SourceNode merge = graph_.nodes[number];
    if (merge.inputs.size() < 2) Fail(merge, fmt::format("It has {} inputs, wanted 2 or more.", merge.inputs.size()));
    std::vector<Guards> guards;
    for (const Port& input : merge.inputs) guards.push_back(GuardsOf(input));
    // The predicate that tells the sides apart, best one that guards them all.
    Port predicate;
    std::vector<uint32_t> sides;
    for (const bool all : {true, false}) {
      for (const Guards& input : guards) {
        for (const auto& [port, side] : input) {
          const bool everywhere =
              std::all_of(guards.begin(), guards.end(), [&](const Guards& other) { return other.contains(port); });
          if (predicate.node != kNoNode || everywhere != all) continue;
          sides = Sides(guards, port);
          if (!sides.empty()) predicate = port;
        }
      }
    }
    if (predicate.node == kNoNode) Fail(merge, "Its inputs do not come from the sides of one Switch.");
    Guards common;
    for (const auto& [port, side] : guards[0]) {
      const bool shared = std::all_of(guards.begin(), guards.end(), [&](const Guards& other) {
        const auto it = other.find(port);
        return it != other.end() && it->second == side;
      });
      if (port != predicate && shared) common.emplace(port, side);
    }
    bool numbered = false;
    for (const SourceNode& node : graph_.nodes) {
      numbered |= IsNumbered(node) && node.inputs.size() > 1 && Predicate(node.inputs[1]) == predicate;
    }
    const auto translate = [&](const Port& port) -> std::optional<Port> {
      const SourceNode& node = graph_.nodes[port.node];
      if (!IsSwitch(node) || Predicate(node.inputs[1]) != predicate) return std::nullopt;
      return Current(node.inputs[0]);
    };
    Extraction extraction(
        graph_, [&](uint32_t node) { return guards_[node].contains(predicate); }, {}, 0, translate);
    SourceNode node;
    node.op = numbered ? "Case" : "If";
    node.name = merge.name;
    std::vector<Port> roots(sides.size());
    for (size_t i = 0; i < sides.size(); ++i) roots[sides[i]] = merge.inputs[i];
    if (!numbered) std::reverse(roots.begin(), roots.end());  // then is where the predicate is true, output 1
    for (size_t i = 0; i < roots.size(); ++i) {
      node.bodies.push_back(extraction.Take(numbered ? fmt::format("branch{}", i) : i == 0 ? "then" : "else", {roots[i]}));
    }
    extraction.Finish();
    node.inputs.push_back(predicate);
    for (const Port& port : extraction.captured()) node.inputs.push_back(port);
    const auto made = static_cast<uint32_t>(graph_.nodes.size());
    graph_.nodes[number].name += "/merge";
    graph_.nodes.push_back(std::move(node));
    guards_.push_back(std::move(common));
    replaced_[{number, 0}] = {made, 0};
  }

  SourceGraph& graph_;
  std::vector<Guards> guards_;
  std::map<Port, Port> replaced_;
};

}  // namespace

void FunctionalizeConditions(SourceGraph& graph) { Conditions(graph).Run(); }

}  // namespace atc::tf_parser
