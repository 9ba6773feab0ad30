#include "compiler/plan/check_order.h"

#include <map>

#include "compiler/plan/order_proof.h"

namespace atc {
namespace {

// Pairs of Send and Recv; faults of events without both ends. Of a number that is used again the n-th Send and Recv belong
// together, and each Recv must be over before the next Send (`resets`).
std::vector<Ordered> Events(const Graph& graph, const std::vector<NodeId>& launch, std::vector<Ordered>* resets,
                            std::vector<std::string>* faults) {
  struct Ends {
    std::vector<NodeId> sends, recvs;
  };
  std::map<int64_t, Ends> events;
  for (const NodeId id : launch) {
    const Node& node = graph.node(id);
    if (node.stream < 0 || (node.type() != "Send" && node.type() != "Recv")) continue;
    Ends& ends = events[node.Attr<int64_t>("event_id")];
    (node.type() == "Send" ? ends.sends : ends.recvs).push_back(id);
  }
  std::vector<Ordered> waits;
  for (const auto& [event, ends] : events) {
    if (ends.sends.size() != ends.recvs.size()) {
      const bool no_send = ends.sends.size() < ends.recvs.size();
      faults->push_back("event " + std::to_string(event) + " lacks its " + (no_send ? "Send" : "Recv"));
      continue;
    }
    for (size_t i = 0; i < ends.sends.size(); ++i) {
      if (graph.node(ends.sends[i]).stream == graph.node(ends.recvs[i]).stream) {
        faults->push_back("event " + std::to_string(event) + " stays within one stream");
      }
      waits.emplace_back(ends.sends[i], ends.recvs[i]);
      if (i == 0) continue;
      resets->emplace_back(ends.recvs[i - 1], ends.sends[i]);
      if (graph.node(ends.recvs[i - 1]).stream != graph.node(ends.recvs[i]).stream) {
        faults->push_back("event " + std::to_string(event) + " is waited for on two streams, of which either may come first");
      }
    }
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
  std::vector<Ordered> needed;
  std::vector<Ordered> waits = Events(graph, launch, &needed, &faults);
  Activations(graph, launch, &waits);
  const OrderProof proof(graph, launch, std::move(waits));
  if (!proof.CanRun()) {
    faults.push_back("streams wait for each other for ever");
    return faults;
  }
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
