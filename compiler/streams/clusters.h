// Clusters: connected nodes of one engine and one label that take one stream together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/streams/engines.h"

namespace atc {

struct Cluster {
  const Engine* engine = nullptr;
  std::string label;                // of its nodes; empty: none
  int64_t new_stream_id = -1;       // attribute NewStreamId of its nodes; -1: none
  std::vector<NodeId> nodes;        // in launch order
  std::vector<uint32_t> before, after;  // clusters next to it, sorted
  int32_t stream = -1;
  std::string rule;  // why this stream, for Reason
};

struct Clusters {
  std::vector<Cluster> all;       // each after those it depends on
  std::vector<uint32_t> of_node;  // index into `all`, by node; kNoId for sources, which have no stream
};

// Attribute of a node by which a tool from outside states its stream.
inline constexpr const char* kNewStreamId = "NewStreamId";

// Joins neighbours of equal engine, label and NewStreamId unless a second path leads from one to the other (the joined
// cluster would wait for itself). The search for one ends after kPathBudget edges and
// then counts as successful, so that it takes linear time in all.
Clusters MakeClusters(const Graph& graph, const std::vector<NodeId>& order, const EngineTable& engines);

inline constexpr int kPathBudget = 256;

}  // namespace atc
