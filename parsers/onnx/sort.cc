// The order of nodes. ONNX wants files sorted; many tools write them otherwise.
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <queue>

#include "compiler/ir/error.h"
#include "parsers/onnx/graph_builder.h"

namespace atc::onnx_parser {
namespace {

// Names that a nested graph uses and does not make.
void CollectFree(const onnx::GraphProto& graph, std::set<std::string>* free);

void CollectUsed(const onnx::NodeProto& node, std::set<std::string>* used) {
  for (const std::string& input : node.input()) {
    if (!input.empty()) used->insert(input);
  }
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) CollectFree(attribute.g(), used);
    for (const onnx::GraphProto& graph : attribute.graphs()) CollectFree(graph, used);
  }
}

void CollectFree(const onnx::GraphProto& graph, std::set<std::string>* free) {
  std::set<std::string> used;
  for (const onnx::NodeProto& node : graph.node()) CollectUsed(node, &used);
  for (const onnx::ValueInfoProto& output : graph.output()) used.insert(output.name());
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string& output : node.output()) used.erase(output);
  }
  for (const onnx::ValueInfoProto& input : graph.input()) used.erase(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) used.erase(tensor.name());
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) used.erase(tensor.values().name());
  free->merge(used);
}

std::string NodeText(const onnx::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? "giving " + node.output(0) : node.name();
}

}  // namespace

std::vector<size_t> SortNodes(const std::vector<const onnx::NodeProto*>& nodes) {
  std::map<std::string, size_t> maker;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i]->output()) {
      if (output.empty() || maker.emplace(output, i).second) continue;
      throw Error("E13014", {{"value", "'" + output + "'"},
                             {"parameter", "An output"},
                             {"opname", NodeText(*nodes[i])},
                             {"reason", "The node '" + NodeText(*nodes[maker[output]]) + "' gives the same tensor."}});
    }
  }
  std::vector<std::vector<size_t>> users(nodes.size());
  std::vector<size_t> waiting(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::set<std::string> used;
    CollectUsed(*nodes[i], &used);
    std::set<size_t> makers;
    for (const std::string& tensor : used) {
      const auto it = maker.find(tensor);
      if (it != maker.end()) makers.insert(it->second);
    }
    for (const size_t from : makers) users[from].push_back(i);
    waiting[i] = makers.size();
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (waiting[i] == 0) ready.push(i);
  }
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const size_t user : users[node]) {
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  if (order.size() == nodes.size()) return order;
  std::string names;
  size_t first = nodes.size();
  int listed = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (waiting[i] == 0) continue;
    first = std::min(first, i);
    if (listed++ < 5) names += (names.empty() ? "'" : ", '") + NodeText(*nodes[i]) + "'";
  }
  throw Error(
      "E13014",
      {{"value", "what depends on it"},
       {"parameter", "An input"},
       {"opname", NodeText(*nodes[first])},
       {"reason", fmt::format("{} nodes are on a cycle or behind one: {}.", nodes.size() - order.size(), names)}});
}

}  // namespace atc::onnx_parser
