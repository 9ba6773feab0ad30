#include "compiler/streams/physical_split.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/streams/stream_activation.h"

namespace atc {
namespace {

struct Part {
  int32_t stream = 0;
  int64_t tasks = 0;
  NodeId last = kNoId;
  bool activates = false;  // holds a StreamActive, or a part before it does
  std::string run;         // kContinuousLabel of the last task
};

class TaskCounts {
 public:
  TaskCounts(const Graph& graph, int32_t max_tasks) : max_tasks_(max_tasks) {
    for (NodeId id = 0; id < graph.node_capacity(); ++id) {
      const Node& node = graph.node(id);
      if (!node.alive || node.stream < 0) continue;
      if (static_cast<size_t>(node.stream) >= of_stream_.size()) of_stream_.resize(static_cast<size_t>(node.stream) + 1, 0);
      of_stream_[static_cast<size_t>(node.stream)] += Own(node);
    }
  }

  int64_t OnStream(size_t stream) const { return stream < of_stream_.size() ? of_stream_[stream] : 0; }

  int64_t Of(const Node& node) const {
    int64_t tasks = Own(node);
    if (node.type() != "StreamActive") return tasks;
    for (const int64_t stream : node.attrs.Get<std::vector<int64_t>>(kActiveStreams, {})) {
      if (stream < 0 || static_cast<size_t>(stream) >= of_stream_.size()) continue;
      tasks += (of_stream_[static_cast<size_t>(stream)] + max_tasks_ - 1) / max_tasks_;
    }
    return tasks;
  }

 private:
  static int64_t Own(const Node& node) {
    return node.type() == "Recv" ? 2 : std::max<int64_t>(1, node.attrs.Get<int64_t>(kSqeNum, 1));
  }

  const int64_t max_tasks_;
  std::vector<int64_t> of_stream_;
};

bool IsRuntimeLabel(const Node& node) {
  const std::string_view type = node.type();
  return type == "LabelSet" || type == "LabelGotoEx" || type == "LabelSwitchByIndex";
}

bool MaySplitBefore(const Node& node, const Part& part) {
  if (part.last == kNoId || !node.subgraphs.empty() || IsRuntimeLabel(node)) return false;
  if (node.type() == "StreamActive" && !part.activates) return false;
  return part.run.empty() || node.attrs.Get<std::string>(kContinuousLabel, "") != part.run;
}

// Whatever starts the first part of a stream starts the later ones.
void StartParts(Graph& graph, const std::map<int64_t, std::vector<int64_t>>& parts) {
  for (NodeId id = 0; id < graph.node_capacity(); ++id) {
    Node& node = graph.node(id);
    if (!node.alive || node.type() != "StreamActive") continue;
    auto streams = node.attrs.Get<std::vector<int64_t>>(kActiveStreams, {});
    const size_t count = streams.size();
    for (size_t i = 0; i < count; ++i) {
      const auto later = parts.find(streams[i]);
      if (later != parts.end()) streams.insert(streams.end(), later->second.begin(), later->second.end());
    }
    if (streams.size() != count) node.attrs.Set(kActiveStreams, std::move(streams));
  }
}

}  // namespace

bool NeedsHugeStream(const Graph& graph, int32_t max_tasks) {
  return max_tasks > 0 && TaskCounts(graph, max_tasks).OnStream(0) + kReservedTasks > max_tasks;
}

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
  const TaskCounts count(graph, max_tasks);
  std::map<int64_t, std::vector<int64_t>> later_parts;  // by logical stream
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
    const int64_t tasks = count.Of(node);
    if (MaySplitBefore(node, part) && part.tasks + tasks + kReservedTasks > max_tasks) {
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
      later_parts[logical].push_back(next);
      part = {next, 2, kNoId, part.activates, ""};
    }
    if (part.stream != logical) {
      node.stream = part.stream;
      node.Because("stream", "SplitStreams: part of " + std::to_string(logical));
    }
    part.tasks += tasks;
    part.last = id;
    part.activates |= node.type() == "StreamActive";
    part.run = node.attrs.Get<std::string>(kContinuousLabel, "");
  }
  if (origin.empty()) return counts;
  StartParts(graph, later_parts);
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
