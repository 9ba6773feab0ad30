#include "parsers/tensorflow/source_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <queue>
#include <set>

#include "compiler/ir/error.h"
#include "parsers/tensorflow/graph_def.pb.h"

namespace atc::tf_parser {
namespace {

using NodeNumbers = std::map<std::string, uint32_t, std::less<>>;

uint32_t FindNode(const NodeNumbers& numbers, const std::string& name, const std::string& user) {
  const auto it = numbers.find(name);
  if (it == numbers.end()) throw Error("E12009", {{"opname", user}, {"inputopname", name}});
  return it->second;
}

void AddNode(SourceGraph& graph, NodeNumbers& numbers, const proto::NodeDef& def) {
  if (!numbers.emplace(def.name(), graph.nodes.size()).second) throw Error("E13009", {{"opname", def.name()}});
  SourceNode node;
  node.name = def.name();
  node.op = def.op();
  node.def = &def;
  graph.nodes.push_back(std::move(node));
}

Port PortOf(const InputText& text, const SourceGraph& graph, uint32_t number, const FunctionLibrary& library) {
  const SourceNode& from = graph.nodes[number];
  const bool named = !text.output_name.empty() && from.def != nullptr;
  const uint32_t offset = named ? OutputOffset(*from.def, text.output_name, library) : 0;
  return {number, offset + text.output};
}

void Connect(SourceGraph& graph, const NodeNumbers& numbers, const FunctionLibrary& library) {
  for (SourceNode& node : graph.nodes) {
    if (node.def == nullptr) continue;
    for (const std::string& input : node.def->input()) {
      const InputText text = ParseInput(input);
      const uint32_t from = FindNode(numbers, text.node, node.name);
      if (text.control) {
        node.controls.push_back(from);
      } else {
        node.inputs.push_back(PortOf(text, graph, from, library));
      }
    }
  }
}

}  // namespace

InputText ParseInput(std::string_view text) {
  InputText input;
  if (text.starts_with('^')) {
    input.control = true;
    text.remove_prefix(1);
  }
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), input.output);
    if (error == std::errc() && end == digits.data() + digits.size()) {
      text = text.substr(0, colon);
    } else {
      input.output = 0;
    }
  }
  if (const size_t name = text.find(':'); name != std::string_view::npos) {
    input.output_name = text.substr(name + 1);
    text = text.substr(0, name);
  }
  input.node = text;
  return input;
}

uint32_t SourceGraph::Find(std::string_view node_name) const {
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == node_name) return i;
  }
  return kNoNode;
}

std::vector<uint32_t> SourceGraph::OrderFor(const std::vector<Port>& roots) const {
  std::vector<bool> wanted(nodes.size(), false);
  std::vector<uint32_t> stack;
  const auto want = [&](const Port& port) {
    if (port.node == kNoNode || wanted[port.node]) return;
    wanted[port.node] = true;
    stack.push_back(port.node);
  };
  for (const Port& root : roots) want(root);
  while (!stack.empty()) {
    const uint32_t node = stack.back();
    stack.pop_back();
    for (const Port& input : nodes[node].inputs) want(input);
  }
  std::vector<std::vector<uint32_t>> users(nodes.size());
  std::vector<size_t> waiting(nodes.size(), 0);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  size_t count = 0;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!wanted[i]) continue;
    ++count;
    std::set<uint32_t> from;
    for (const Port& input : nodes[i].inputs) {
      if (input.node != kNoNode) from.insert(input.node);
    }
    for (const uint32_t node : from) users[node].push_back(i);
    waiting[i] = from.size();
    if (from.empty()) ready.push(i);
  }
  std::vector<uint32_t> order;
  while (!ready.empty()) {
    const uint32_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const uint32_t user : users[node]) {
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  if (order.size() == count) return order;
  std::string names, first;
  int listed = 0;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (!wanted[i] || waiting[i] == 0) continue;
    if (first.empty()) first = nodes[i].name;
    if (listed++ < 5) names += (names.empty() ? "'" : ", '") + nodes[i].name + "'";
  }
  throw Error("E13014",
              {{"value", "what depends on it"},
               {"parameter", "An input"},
               {"opname", first},
               {"reason", fmt::format("{} nodes are on a cycle or behind one: {}.", count - order.size(), names)}},
              "Export the model anew: a graph goes round through loops alone (While, or Enter and NextIteration).");
}

SourceGraph ReadGraph(const proto::GraphDef& proto) {
  SourceGraph graph;
  graph.name = "graph";
  NodeNumbers numbers;
  for (const proto::NodeDef& def : proto.node()) AddNode(graph, numbers, def);
  Connect(graph, numbers, {});  // a graph numbers outputs
  return graph;
}

SourceGraph ReadFunction(const proto::FunctionDef& function,
                         const std::map<std::string, const proto::AttrValue*>& attrs, const FunctionLibrary& library) {
  const auto owned = std::make_shared<proto::FunctionDef>(function);
  for (proto::NodeDef& def : *owned->mutable_node_def()) {
    for (auto& [name, value] : *def.mutable_attr()) {
      if (value.value_case() != proto::AttrValue::kPlaceholder) continue;
      const auto it = attrs.find(value.placeholder());
      if (it == attrs.end()) {
        throw Error("E13014", {{"value", "'" + value.placeholder() + "'"},
                               {"parameter", "The attribute " + name},
                               {"opname", def.name()},
                               {"reason", "The call of the function '" + function.signature().name() +
                                              "' does not give this attribute."}});
      }
      const proto::AttrValue copy = *it->second;
      value = copy;
    }
  }
  SourceGraph graph;
  graph.owner = owned;
  graph.name = function.signature().name();
  NodeNumbers numbers;
  for (const proto::ArgDef& arg : function.signature().input_arg()) {
    if (!numbers.emplace(arg.name(), graph.nodes.size()).second) throw Error("E13009", {{"opname", arg.name()}});
    SourceNode node;
    node.name = arg.name();
    node.op = kArgument;
    node.number = static_cast<int64_t>(graph.arguments.size());
    graph.arguments.push_back(static_cast<uint32_t>(graph.nodes.size()));
    graph.nodes.push_back(std::move(node));
  }
  for (const proto::NodeDef& def : owned->node_def()) AddNode(graph, numbers, def);
  Connect(graph, numbers, library);
  for (const proto::ArgDef& result : function.signature().output_arg()) {
    const auto it = owned->ret().find(result.name());
    const std::string source = it == owned->ret().end() ? result.name() : it->second;
    const InputText text = ParseInput(source);
    const uint32_t node = FindNode(numbers, text.node, graph.name + ":" + result.name());
    graph.results.push_back(PortOf(text, graph, node, library));
  }
  return graph;
}

SourceGraph ReadFunctionForAnyCall(const proto::FunctionDef& function, const FunctionLibrary& library) {
  static const proto::AttrValue kAny;
  std::map<std::string, const proto::AttrValue*> attrs;
  for (const proto::NodeDef& node : function.node_def()) {
    for (const auto& [key, attr] : node.attr()) {
      if (attr.value_case() == proto::AttrValue::kPlaceholder) attrs.emplace(attr.placeholder(), &kAny);
    }
  }
  return ReadFunction(function, attrs, library);
}

}  // namespace atc::tf_parser
