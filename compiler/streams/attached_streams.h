// Events of attached streams: what a node does there waits for what the node waits for, and what waits for the node waits
// for that too.
#pragma once

#include <vector>

#include "compiler/ir/graph.h"

namespace atc {

// The name of the node, on the Send and Recv of a stream attached to it. These have no edge to the node, which does not
// run there; the one before them on the stream comes first instead.
inline constexpr const char* kAttachedNode = "_attached_node";

// For the time that events are found, each node's share of an attached stream is a node of its own, beside it in `order`.
// At the end stands one that joins these streams: on the stream of the last task that makes an output of the model.
class AttachedStreams {
 public:
  // Adds the nodes and puts them into `order`, which holds every alive node after what it depends on.
  AttachedStreams(Graph& graph, std::vector<NodeId>* order);

  bool empty() const { return shares_.empty() && join_ == kNoId; }
  // Removes the nodes from the graph and from `launch`, in which Send and Recv nodes stand around those that they serve;
  // those around a share are put around its node.
  void Remove(std::vector<NodeId>* launch);

 private:
  void Link();
  void Join(std::vector<NodeId>* order);

  Graph& graph_;
  std::vector<std::vector<NodeId>> shares_;  // by node; empty: there are none at all
  std::vector<NodeId> node_of_;              // by share
  NodeId join_ = kNoId;
};

}  // namespace atc
