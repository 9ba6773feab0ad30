#include "compiler/plan/check_order.h"

#include <map>

namespace atc {
namespace {

using Bits = std::vector<bool>;

// What a node with no stream stands for: the nodes with a stream that it depends on.
void StreamedProducers(const Graph& graph, NodeId id, std::vector<NodeId>* found) {
  const Node& node = graph.node(id);
  if (node.stream >= 0) {
    found->push_back(id);
    return;
  }
  for (const ValueId input : node.inputs) {
    if (input != kNoId) StreamedProducers(graph, graph.value(input).producer, found);
  }
  for (const NodeId before : node.control_in) StreamedProducers(graph, before, found);
}

}  // namespace

std::vector<std::string> CheckOrder(const Graph& graph) {
  std::vector<std::string> faults;
  const size_t count = graph.node_capacity();
  std::vector<std::vector<NodeId>> before(count);  // kept by a stream or an event
  std::map<int32_t, NodeId> last;
  std::map<int64_t, std::pair<NodeId, NodeId>> events;  // id -> Send, Recv
  for (NodeId id = 0; id < count; ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.stream < 0) continue;
    const auto it = last.find(node.stream);
    if (it != last.end()) before[id].push_back(it->second);
    last[node.stream] = id;
    if (node.type() == "Send" || node.type() == "Recv") {
      auto& ends = events.try_emplace(node.Attr<int64_t>("event_id"), kNoId, kNoId).first->second;
      NodeId& end = node.type() == "Send" ? ends.first : ends.second;
      if (end != kNoId) faults.push_back("event of '" + node.name + "' is used twice");
      end = id;
    }
  }
  for (const auto& [event, ends] : events) {
    if (ends.first == kNoId || ends.second == kNoId) {
      faults.push_back("event " + std::to_string(event) + " lacks its " + (ends.first == kNoId ? "Send" : "Recv"));
      continue;
    }
    if (graph.node(ends.first).stream == graph.node(ends.second).stream) {
      faults.push_back("event " + std::to_string(event) + " stays within one stream");
    }
    before[ends.second].push_back(ends.first);
  }
  // Closure over what is kept, in an order that respects it; what is left over waits for ever.
  std::vector<Bits> reach(count);
  std::vector<int> waiting(count, 0);
  std::vector<std::vector<NodeId>> after(count);
  std::vector<NodeId> ready;
  size_t streamed = 0;
  for (NodeId id = 0; id < count; ++id) {
    if (!graph.node(id).alive || graph.node(id).stream < 0) continue;
    ++streamed;
    waiting[id] = static_cast<int>(before[id].size());
    for (const NodeId from : before[id]) after[from].push_back(id);
    if (waiting[id] == 0) ready.push_back(id);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const NodeId id = ready.back();
    ready.pop_back();
    ++done;
    reach[id].assign(count, false);
    for (const NodeId from : before[id]) {
      for (size_t i = 0; i < count; ++i) {
        if (reach[from][i]) reach[id][i] = true;
      }
      reach[id][from] = true;
    }
    for (const NodeId to : after[id]) {
      if (--waiting[to] == 0) ready.push_back(to);
    }
  }
  if (done != streamed) {
    faults.push_back("streams wait for each other for ever");
    return faults;
  }
  for (NodeId id = 0; id < count; ++id) {
    const Node& node = graph.node(id);
    if (!node.alive || node.stream < 0) continue;
    std::vector<NodeId> needed;
    for (const ValueId input : node.inputs) {
      if (input != kNoId) StreamedProducers(graph, graph.value(input).producer, &needed);
    }
    for (const NodeId from : node.control_in) StreamedProducers(graph, from, &needed);
    for (const NodeId from : needed) {
      if (!reach[id][from]) {
        faults.push_back("'" + node.name + "' on stream " + std::to_string(node.stream) + " may start before '" +
                         graph.node(from).name + "' on stream " + std::to_string(graph.node(from).stream) + " is over");
      }
    }
  }
  return faults;
}

}  // namespace atc
