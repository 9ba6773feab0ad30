#include "compiler/plan/check_order.h"

#include <map>

#include "compiler/plan/order_proof.h"

namespace atc {
namespace {

// Pairs of Send and Recv; faults of events without both ends.
std::vector<Ordered> Events(const Graph& graph, const std::vector<NodeId>& launch, std::vector<std::string>* faults) {
  std::map<int64_t, Ordered> events;  // id -> Send, Recv
  for (const NodeId id : launch) {
    const Node& node = graph.node(id);
    if (node.stream < 0 || (node.type() != "Send" && node.type() != "Recv")) continue;
    auto& ends = events.try_emplace(node.Attr<int64_t>("event_id"), kNoId, kNoId).first->second;
    NodeId& end = node.type() == "Send" ? ends.first : ends.second;
    if (end != kNoId) faults->push_back("event of '" + node.name + "' is used twice");
    end = id;
  }
  std::vector<Ordered> waits;
  for (const auto& [event, ends] : events) {
    if (ends.first == kNoId || ends.second == kNoId) {
      faults->push_back("event " + std::to_string(event) + " lacks its " + (ends.first == kNoId ? "Send" : "Recv"));
      continue;
    }
    if (graph.node(ends.first).stream == graph.node(ends.second).stream) {
      faults->push_back("event " + std::to_string(event) + " stays within one stream");
    }
    waits.push_back(ends);
  }
  return waits;
}

// What a StreamActive starts begins after it.
void Activations(const Graph& graph, const std::vector<NodeId>& launch, std::vector<Ordered>* waits) {
  std::map<int64_t, NodeId> first;  // task of each stream
  for (const NodeId id : launch) {
    if (graph.node(id).stream >= 0) first.try_emplace(graph.node(id).stream, id);
  }
  for (const NodeId id : launch) {
    if (graph.node(id).stream < 0 || graph.node(id).type() != "StreamActive") continue;
    for (const int64_t stream : graph.node(id).attrs.Get<std::vector<int64_t>>("active_stream_list", {})) {
      if (const auto task = first.find(stream); task != first.end()) waits->emplace_back(id, task->second);
    }
  }
}

}  // namespace

std::vector<std::string> CheckOrder(const Graph& graph) {
  std::vector<std::string> faults;
  std::vector<NodeId> launch;
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    if (graph.node(id).alive) launch.push_back(id);
  }
  std::vector<Ordered> waits = Events(graph, launch, &faults);
  Activations(graph, launch, &waits);
  const OrderProof proof(graph, launch, std::move(waits));
  if (!proof.CanRun()) {
    faults.push_back("streams wait for each other for ever");
    return faults;
  }
  std::vector<Ordered> needed;
  {
    const auto before = TasksBefore(graph, graph.TopologicalOrder());
    for (const NodeId id : launch) {
      if (graph.node(id).stream < 0) continue;
      for (const NodeId from : before[id]) needed.emplace_back(from, id);
    }
  }
  const std::vector<bool> kept = proof.Implied(needed);
  for (size_t i = 0; i < needed.size(); ++i) {
    if (kept[i]) continue;
    const Node& from = graph.node(needed[i].first);
    const Node& node = graph.node(needed[i].second);
    faults.push_back("'" + node.name + "' on stream " + std::to_string(node.stream) + " may start before '" +
                     from.name + "' on stream " + std::to_string(from.stream) + " is over");
  }
  return faults;
}

}  // namespace atc
