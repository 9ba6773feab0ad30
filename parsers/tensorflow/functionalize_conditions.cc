// Conditions: what follows one output of a Switch runs only where its predicate is that output's, and a Merge joins the
// two sides. Each Merge becomes an If whose graphs hold what its sides need.
#include <fmt/format.h>

#include <map>

#include "compiler/ir/error.h"
#include "parsers/tensorflow/functionalize.h"

namespace atc::tf_parser {
namespace {

// Under which predicates something runs, and which value each has.
using Guards = std::map<Port, bool>;

bool IsSwitch(const SourceNode& node) { return node.op == "Switch" || node.op == "RefSwitch"; }
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
    if (IsSwitch(node)) guards[Predicate(node.inputs[1])] = port.output == 1;
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

  void Convert(uint32_t number) {
    const SourceNode merge = graph_.nodes[number];
    if (merge.inputs.size() != 2) Fail(merge, fmt::format("It has {} inputs, wanted 2.", merge.inputs.size()));
    const Guards one = GuardsOf(merge.inputs[0]), other = GuardsOf(merge.inputs[1]);
    // The predicate that tells the sides apart; a side without guards is a constant.
    Port predicate;
    bool first = false;
    for (const auto& [port, value] : one) {
      const auto it = other.find(port);
      if (it != other.end() ? it->second != value : predicate.node == kNoNode) {
        predicate = port;
        first = value;
        if (it != other.end()) break;
      }
    }
    if (predicate.node == kNoNode) {
      for (const auto& [port, value] : other) {
        if (one.contains(port)) continue;
        predicate = port;
        first = !value;
        break;
      }
    }
    if (predicate.node == kNoNode) Fail(merge, "Its inputs do not come from two sides of one Switch.");
    Guards common;
    for (const auto& [port, value] : one) {
      const auto it = other.find(port);
      if (port != predicate && it != other.end() && it->second == value) common.emplace(port, value);
    }
    const auto translate = [&](const Port& port) -> std::optional<Port> {
      const SourceNode& node = graph_.nodes[port.node];
      if (!IsSwitch(node) || Predicate(node.inputs[1]) != predicate) return std::nullopt;
      return Current(node.inputs[0]);
    };
    Extraction extraction(
        graph_, [&](uint32_t node) { return guards_[node].contains(predicate); }, {}, 0, translate);
    SourceNode node;
    node.op = "If";
    node.name = merge.name;
    node.first = extraction.Take("then", {merge.inputs[first ? 0 : 1]});
    node.second = extraction.Take("else", {merge.inputs[first ? 1 : 0]});
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
