// The passes that choose logical streams: one file each, run in the order of the table in logical_streams.cc.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/streams/clusters.h"
#include "compiler/streams/logical_streams.h"
#include "compiler/streams/task_neighbours.h"

namespace atc {

// Streams that hold for a model as a whole, its nested graphs included.
struct SharedStreams {
  int32_t next = 0;
  std::map<std::string, int32_t> of_label;
  std::map<std::pair<std::string, std::string>, int32_t> of_independent;  // by engine and label
  int32_t automatic = -1;  // the first of the N of an automatic mode; -1: not yet taken
  std::map<int32_t, int32_t> behind_automatic;  // what streams that such a mode leaves alone are numbered as
};

// What they share. The first ones give streams to clusters, NodeStreamUpdate hands these to the nodes, and the later
// ones move nodes.
struct StreamContext {
  Graph& graph;
  const StreamOptions& options;
  const EngineTable& engines;
  std::vector<NodeId> order;  // alive nodes in launch order
  Clusters clusters;
  TaskNeighbours tasks;
  ParallelMode parallel_mode;
  SharedStreams& shared;
  int32_t& next_stream;
  // The first one that a dependency asked for; in a nested graph that of its owner, from the start.
  int32_t default_stream = -1;
  bool nested = false;

  void Set(Node& node, int32_t stream, std::string rule) const {
    node.stream = stream;
    node.Because("stream", std::move(rule));
  }
  bool IsTask(const Node& node) const { return EmitsTask(graph, node); }
  // Whether the stream of the node was asked for by name, so that nothing may move it.
  bool IsPinned(const Node& node) const;
  // Calls visit(Node&) for every node with a task, in launch order.
  template <typename F>
  void ForEachTask(F&& visit) {
    for (const NodeId id : order) {
      if (IsTask(graph.node(id))) visit(graph.node(id));
    }
  }
};

// On clusters.
// NewStreamId: each number that a tool from outside wrote has a stream of its own, in the order of the numbers.
void UpdateForMdeGroup(StreamContext& context);
// Each label has a stream of its own, in launch order of the first cluster with it.
void AssignByLabel(StreamContext& context);
// Clusters of independent engines: one stream for each engine and label.
void IndependentStream(StreamContext& context);
// A cluster follows a predecessor, or takes the next stream of its engine; see the file.
void AssignByDependency(StreamContext& context);
// --enable_single_stream: stream 0 for all. Throws Error E10055 where a node has a label.
void SingleStream(StreamContext& context);

// ENABLE_DYNAMIC_SHAPE_MULTI_STREAM, on nodes: see dynamic_streams.cc.
void DynamicStreams(StreamContext& context);

// On nodes.
// The cluster's stream becomes the nodes'; nodes of labels of the runtime (rts_label_node) go to the default stream.
void NodeStreamUpdate(StreamContext& context);
// _parallel_group: one new stream for each pair of old stream and group; group "-1" follows the producer of its only
// input. Nodes with a user's label stay.
void UpdateForParallelGroup(StreamContext& context);
// hcom_parallel: what follows a fused HcomAllReduce over data edges leaves to a new stream, one for each old one.
void AllReduceParallel(StreamContext& context);
// Nodes of engines that need no stream: none where they are no task, else the stream that all their neighbours share.
void UpdateForSkippedEngine(StreamContext& context);
// A node alone among neighbours of one other stream, which has nothing to do meanwhile, moves there.
void OptimizeIneffectiveMultiStream(StreamContext& context);
// LoadBalance:N, MainStream:N, WeightedLoadBalance:N: tasks without a label of their own spread over N streams; labelled
// ones and communication are numbered after these. See merge_chains.h. Costs are those of op_summary.h where there are
// any, and LoadBalance is then weighted.
void MiniDagStream(StreamContext& context);
// What the caller runs on the streams so far, such as passes of plugins.
void UserPasses(StreamContext& context);
// Numbers streams from 0 without holes, in the order of the old numbers, over nested graphs too.
void RefreshContinuousStreams(StreamContext& context);
// _attached_stream_reuse_keys (list of texts): a further stream for each key, given in _attached_stream_ids.
void AssignAttachedStream(StreamContext& context);

inline constexpr const char* kParallelGroup = "_parallel_group";
inline constexpr const char* kRtsLabelNode = "rts_label_node";
inline constexpr const char* kAttachedStreamKeys = "_attached_stream_reuse_keys";
inline constexpr const char* kAttachedStreamIds = "_attached_stream_ids";

}  // namespace atc
