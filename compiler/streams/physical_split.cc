#include "compiler/streams/physical_split.h"

#include <algorithm>
#include <string>
#include <vector>

namespace atc {
namespace {

struct Part {
  int32_t stream = 0;
  int64_t tasks = 0;
  NodeId last = kNoId;
};

}  // namespace

SplitCounts SplitStreams(Graph& graph, int32_t max_tasks, SplitCounts counts) {
  if (max_tasks <= 0) return counts;
  const std::vector<NodeId> order = graph.TopologicalOrder();
  std::vector<Part> parts(static_cast<size_t>(counts.streams));
  for (size_t i = 0; i < parts.size(); ++i) parts[i].stream = static_cast<int32_t>(i);
  std::vector<NodeId> launch;
  // A Send belongs right behind the last task of its part, wherever others have come between.
  std::vector<NodeId> send_after(graph.node_capacity(), kNoId);
  std::vector<NodeId> recv_before(graph.node_capacity(), kNoId);
  std::string origin;
  const auto add = [&](const char* type, const std::string& name, int32_t stream, NodeId serves) -> Node& {
    Node& node = graph.Add(type, name, {}, 0);
    node.attrs.Set("event_id", counts.events);
    node.stream = stream;
    node.engine = "DNN_VM_RTS";
    node.origin = graph.node(serves).origin;
    return node;
  };
  for (const NodeId id : order) {
    Node& node = graph.node(id);
    if (node.stream < 0) continue;
    const int32_t logical = node.stream;
    Part& part = parts[static_cast<size_t>(logical)];
    const int64_t tasks = node.type() == "Recv" ? 2 : 1;
    if (part.last != kNoId && node.subgraphs.empty() && part.tasks + tasks + kReservedTasks > max_tasks) {
      const std::string number = std::to_string(counts.events);
      const int32_t next = counts.streams++;
      Node& send = add("Send", graph.name + "_Send_" + number, part.stream, part.last);
      Node& recv = add("Recv", graph.name + "_Recv_" + number, next, id);
      ++counts.events;
      const std::string why = "SplitStreams: " + std::to_string(max_tasks) + " tasks a stream";
      send.Because("event", why);
      recv.Because("event", why);
      graph.AddControl(part.last, send.id);
      graph.AddControl(recv.id, id);
      send_after[part.last] = send.id;
      recv_before[id] = recv.id;
      origin += (origin.empty() ? "" : ",") + std::to_string(next) + ":" + std::to_string(logical);
      part = {next, 2, kNoId};
    }
    if (part.stream != logical) {
      node.stream = part.stream;
      node.Because("stream", "SplitStreams: part of " + std::to_string(logical));
    }
    part.tasks += tasks;
    part.last = id;
  }
  if (origin.empty()) return counts;
  graph.attrs.Set(kSplitStreams, origin);
  for (const NodeId id : order) {
    if (recv_before[id] != kNoId) launch.push_back(recv_before[id]);
    launch.push_back(id);
    if (send_after[id] != kNoId) launch.push_back(send_after[id]);
  }
  graph.Renumber(launch);
  return counts;
}

}  // namespace atc
