#include "parsers/tensorflow/functionalize.h"

#include <set>

#include "parsers/tensorflow/variable_writes.h"

namespace atc::tf_parser {

Extraction::Extraction(const SourceGraph& graph, std::function<bool(uint32_t)> inside, std::map<Port, size_t> fixed,
                       size_t num_fixed, std::function<std::optional<Port>(const Port&)> translate)
    : graph_(graph),
      inside_(std::move(inside)),
      fixed_(std::move(fixed)),
      num_fixed_(num_fixed),
      translate_(std::move(translate)) {}

std::optional<size_t> Extraction::ArgumentOf(const Port& port) {
  if (const auto it = fixed_.find(port); it != fixed_.end()) return it->second;
  Port outside = port;
  if (const auto other = translate_ ? translate_(port) : std::nullopt) {
    outside = *other;
  } else if (inside_(port.node) || graph_.nodes[port.node].op == "Const") {
    return std::nullopt;  // constants are repeated wherever they are used
  }
  const auto [it, added] = captured_numbers_.emplace(outside, num_fixed_ + captured_.size());
  if (added) captured_.push_back(outside);
  return it->second;
}

std::shared_ptr<SourceGraph> Extraction::Take(const std::string& name, const std::vector<Port>& roots) {
  Part part{std::make_shared<SourceGraph>(), roots, {}};
  part.graph->name = name;
  part.graph->owner = graph_.owner;
  std::set<uint32_t> taken;
  std::vector<uint32_t> stack;
  const auto visit = [&](const Port& port) {
    if (!ArgumentOf(port) && taken.insert(port.node).second) stack.push_back(port.node);
  };
  for (const Port& root : roots) visit(root);
  while (!stack.empty()) {
    const uint32_t node = stack.back();
    stack.pop_back();
    for (const Port& input : graph_.nodes[node].inputs) visit(input);
  }
  for (const uint32_t node : taken) {
    part.copies[node] = static_cast<uint32_t>(part.graph->nodes.size());
    part.graph->nodes.push_back(graph_.nodes[node]);
    part.graph->nodes.back().controls.clear();
  }
  parts_.push_back(std::move(part));
  return parts_.back().graph;
}

void Extraction::Finish() {
  for (Part& part : parts_) {
    SourceGraph& graph = *part.graph;
    const size_t copied = graph.nodes.size();
    for (size_t i = 0; i < num_fixed_ + captured_.size(); ++i) {
      SourceNode argument;
      argument.name = "arg" + std::to_string(i);
      argument.op = kArgument;
      argument.number = static_cast<int64_t>(i);
      graph.arguments.push_back(static_cast<uint32_t>(graph.nodes.size()));
      graph.nodes.push_back(std::move(argument));
    }
    const auto local = [&](const Port& port) {
      if (const auto argument = ArgumentOf(port)) return Port{graph.arguments[*argument], 0};
      return Port{part.copies.at(port.node), port.output};
    };
    for (size_t i = 0; i < copied; ++i) {
      for (Port& input : graph.nodes[i].inputs) input = local(input);
    }
    for (const Port& root : part.roots) graph.results.push_back(local(root));
  }
}

void ReplacePorts(SourceGraph& graph, const std::map<Port, Port>& replacements) {
  const auto replace = [&](Port& port) {
    if (const auto it = replacements.find(port); it != replacements.end()) port = it->second;
  };
  for (SourceNode& node : graph.nodes) {
    for (Port& input : node.inputs) replace(input);
  }
  for (Port& result : graph.results) replace(result);
}

void Functionalize(SourceGraph& graph) {
  OrderVariableWrites(graph);
  FunctionalizeLoops(graph);
  FunctionalizeConditions(graph);
}

}  // namespace atc::tf_parser
